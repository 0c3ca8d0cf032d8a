// The functions with names of sanitizers are called by their runtimes, which look for them in the executable
// first. They run very early, or while the runtime holds its locks: nothing but a write.
#include "launch/sanitizer_hooks.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>

#include "base/sanitized.hpp"
#include "process/process.hpp"
#include "process/thread_storage.hpp"

namespace ranklet::launch {
namespace {

template <typename Function>
Function* runtime_function(const char* name) noexcept
{
  // A runtime that the host was built with watches it by its own rules.
  return sanitized ? nullptr : reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

void announce(const char* sanitizer) noexcept
{
  const loader::ProcessState* const process = loader::current_process();
  char line[100];
  const int length = process != nullptr
                         ? std::snprintf(line, sizeof line, "mpiexec: %s has found an error of rank %d\n",
                                         sanitizer, process->rank)
                         : std::snprintf(line, sizeof line, "mpiexec: %s has found an error\n", sanitizer);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line, static_cast<std::size_t>(length));
}

}  // namespace

bool sanitizer_is_present() noexcept
{
  static const bool present = runtime_function<void(void (*)())>("__sanitizer_set_death_callback") != nullptr;
  return present;
}

void before_sanitizer_ends_process(void (*function)())
{
  if (auto* const set = runtime_function<void(void (*)())>("__sanitizer_set_death_callback")) set(function);
}

void allocate_for_host() noexcept
{
  static auto* const disable = runtime_function<void()>("__lsan_disable");
  if (disable != nullptr) disable();
}

void allocate_for_program() noexcept
{
  static auto* const enable = runtime_function<void()>("__lsan_enable");
  if (enable != nullptr) enable();
}

bool report_leaks() noexcept
{
  auto* const check = runtime_function<int()>("__lsan_do_recoverable_leak_check");
  return check != nullptr && check() != 0;
}

}  // namespace ranklet::launch

extern "C" bool ranklet_race_found(const void* report);

#pragma GCC visibility push(default)

namespace __tsan {

class ReportDesc;

// ThreadSanitizer asks whether to keep quiet of what it has found.
bool OnReport(const ReportDesc* report, bool suppressed);
bool OnReport(const ReportDesc* report, bool suppressed)
{
  return suppressed || (!ranklet::sanitized && ranklet_race_found(report));
}

}  // namespace __tsan

extern "C" {

void __asan_on_error()
{
  ranklet::launch::announce("AddressSanitizer");
}

void __ubsan_on_report()
{
  ranklet::launch::announce("UndefinedBehaviorSanitizer");
}

// Crashes have the host's report. Leaks are looked for when the ranks have ended, and not a second time.
const char* __asan_default_options()
{
  return ranklet::sanitized
             ? ""
             : "use_sigaltstack=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:"
               "handle_abort=0:leak_check_at_exit=0";
}

const char* __lsan_default_options()
{
  return ranklet::sanitized ? "" : "leak_check_at_exit=0";
}

const char* __ubsan_default_options()
{
  return ranklet::sanitized ? "" : "print_stacktrace=1:use_sigaltstack=0";
}

// The library is not compiled for it: what it does to memory is not looked at, but told
// (api/usage/narrator.hpp). A polled variable of a window needs no order of its own where MPI_Win_sync gives
// it (docs/memory-model.md).
const char* __tsan_default_options()
{
  return ranklet::sanitized ? ""
                            : "ignore_noninstrumented_modules=1:force_seq_cst_atomics=1:atexit_sleep_ms=0:"
                              "use_sigaltstack=0:handle_segv=0:"
                              "handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0";
}

#pragma GCC visibility pop
}
