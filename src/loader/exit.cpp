#include "loader/exit.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "libc/complaints.hpp"
#include "libc/libc_state.hpp"
#include "loader/image.hpp"
#include "process/override.hpp"
#include "process/process.hpp"
#include "process/thread_record.hpp"

namespace ranklet::loader {

void run_thread_local_destructors(ThreadRecord& record)
{
  while (!record.destructors.empty()) {
    const ThreadLocalDestructor last = record.destructors.back();
    record.destructors.pop_back();
    last.function(last.object);
  }
}

namespace {

[[noreturn]] void sleep_for_ever()
{
  for (;;) pause();
}

bool in_forked_child(const ProcessState& process)
{
  return process.exit->pid != getpid();
}

// Takes the last handler of the object (of any if null) from the list.
bool take_last(ExitState& state, std::vector<ExitHandler> ExitState::*which, const void* object,
               ExitHandler& handler)
{
  const Holder lock(state.mutex);
  std::vector<ExitHandler>& list = state.*which;
  const auto found = std::find_if(list.rbegin(), list.rend(), [object](const ExitHandler& entry) {
    return object == nullptr || entry.object == object;
  });
  if (found == list.rend()) return false;
  handler = *found;
  list.erase(std::next(found).base());
  return true;
}

void run_handlers(ExitState& state, std::vector<ExitHandler> ExitState::*list, const void* object)
{
  ExitHandler handler;
  while (take_last(state, list, object, handler)) {
    if (handler.with_object) handler.with_object(handler.argument);
    if (handler.with_status) handler.with_status(state.code, handler.argument);
  }
}

}  // namespace

void run_terminators(ImageState& image)
{
  // Each is taken off first: exit may be called again in it.
  const auto take_last = [&image]() -> const LoadedModule* {
    const Holder lock(image.mutex);
    if (image.initialised.empty()) return nullptr;
    const LoadedModule* entry = image.initialised.back();
    image.initialised.pop_back();
    return entry;
  };
  while (const LoadedModule* entry = take_last()) ImageState::terminate(*entry);
}

void run_exit_handlers(ExitState& state, const void* object)
{
  run_handlers(state, &ExitState::handlers, object);
}

void exit_process(ProcessState& process, int code)
{
  ExitState& state = *process.exit;
  bool other_thread_exits = false;
  {
    const Holder lock(state.mutex);
    other_thread_exits = state.exiting && !pthread_equal(state.exiting_thread, pthread_self());
    if (!other_thread_exits) {
      state.exiting = true;
      state.exiting_thread = pthread_self();
      state.code = code & 0xff;
    }
  }
  if (other_thread_exits) sleep_for_ever();

  // A handler that calls exit goes on with the remaining ones here (POSIX leaves it open, glibc does this).
  run_thread_local_destructors(*host_thread().record);
  run_handlers(state, &ExitState::handlers, nullptr);
  process.host.process_exits(process, state.code);
  // Not fflush(nullptr): what other ranks have in their files' buffers is theirs to write.
  if (in_forked_child(process)) ::_exit(state.code);
  if (host_thread().record->is_main && state.may_return) std::longjmp(state.frame, 1);
  process.host.exited_on_other_thread(process, state.code);
  sleep_for_ever();
}

namespace {

// The overrides. In a thread of the host they do what libc does; programs run in threads of ranks only, but a
// thread that a shared library made may call back into a program.

[[noreturn]] void rank_exit(int code)
{
  if (ProcessState* process = current_process()) exit_process(*process, code);
  ::exit(code);
}

[[noreturn]] void rank_immediate_exit(int code)
{
  ProcessState* process = current_process();
  if (process && !in_forked_child(*process)) process->host.end_job(*process, code & 0xff);
  ::_exit(code);
}

[[noreturn]] void rank_quick_exit(int code)
{
  if (ProcessState* process = current_process())
    run_handlers(*process->exit, &ExitState::quick_handlers, nullptr);
  rank_immediate_exit(code);
}

int add_handler(std::vector<ExitHandler> ExitState::*list, const ExitHandler& handler)
{
  ProcessState* process = current_process();
  if (!process) return -1;
  const Holder lock(process->exit->mutex);
  (process->exit.get()->*list).push_back(handler);
  return 0;
}

int rank_cxa_atexit(void (*function)(void*), void* argument, void* object)
{
  return add_handler(&ExitState::handlers, {function, nullptr, argument, object});
}

int rank_on_exit(void (*function)(int, void*), void* argument)
{
  return add_handler(&ExitState::handlers, {nullptr, function, argument, nullptr});
}

void call_without_argument(void* function)
{
  reinterpret_cast<void (*)()>(function)();
}

int rank_atexit(void (*function)())
{
  return add_handler(&ExitState::handlers,
                     {call_without_argument, nullptr, reinterpret_cast<void*>(function), nullptr});
}

int rank_cxa_at_quick_exit(void (*function)(void*), void* object)
{
  return add_handler(&ExitState::quick_handlers, {function, nullptr, nullptr, object});
}

void rank_cxa_finalize(void* object)
{
  ProcessState* process = current_process();
  if (!process) return;
  run_exit_handlers(*process->exit, object);
  if (process->libc && object)
    process->libc->fork_handlers.forget([object](const void* owner) { return owner == object; });
}

int rank_cxa_thread_atexit(void (*function)(void*), void* object, void* /*dso_handle*/)
{
  ThreadRecord* record = host_thread().record;
  if (!record) return -1;
  record->destructors.push_back({function, object});
  return 0;
}

// libc's err(3) and error(3) families call its own exit.
[[noreturn]] void rank_verr(int code, const char* format, std::va_list arguments)
{
  print_warning(format, arguments, true);
  rank_exit(code);
}

[[noreturn]] void rank_verrx(int code, const char* format, std::va_list arguments)
{
  print_warning(format, arguments, false);
  rank_exit(code);
}

[[noreturn]] void rank_err(int code, const char* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  rank_verr(code, format, arguments);
}

[[noreturn]] void rank_errx(int code, const char* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  rank_verrx(code, format, arguments);
}

void rank_error(int code, int number, const char* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  print_error({}, number, format, arguments);
  va_end(arguments);
  if (code != 0) rank_exit(code);
}

void rank_error_at_line(int code, int number, const char* file, unsigned line, const char* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  print_error(file == nullptr ? "" : std::string(file) + ':' + std::to_string(line) + ':', number, format,
              arguments);
  va_end(arguments);
  if (code != 0) rank_exit(code);
}

}  // namespace

std::span<const Override> exit_overrides()
{
  static const Override table[] = {
      override_with("exit", rank_exit),
      override_with("_exit", rank_immediate_exit),
      override_with("_Exit", rank_immediate_exit),
      override_with("quick_exit", rank_quick_exit),
      override_with("atexit", rank_atexit),
      override_with("on_exit", rank_on_exit),
      override_with("__cxa_atexit", rank_cxa_atexit),
      override_with("__cxa_at_quick_exit", rank_cxa_at_quick_exit),
      override_with("__cxa_finalize", rank_cxa_finalize),
      override_with("__cxa_thread_atexit_impl", rank_cxa_thread_atexit),
      override_with("err", rank_err),
      override_with("errx", rank_errx),
      override_with("verr", rank_verr),
      override_with("verrx", rank_verrx),
      override_with("error", rank_error),
      override_with("error_at_line", rank_error_at_line),
  };
  return table;
}

}  // namespace ranklet::loader
