#include "libc/crash_report.hpp"

#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/signal_mask.hpp"
#include "base/source_line.hpp"
#include "libc/alternate_stack.hpp"
#include "libc/crash_backtrace.hpp"
#include "libc/crash_cause.hpp"
#include "libc/ending_signals.hpp"
#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

constexpr int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
constexpr int seconds_for_names = 5;  // to read debug information
constexpr std::chrono::milliseconds time_for_locks{300};
constexpr std::string_view thread_start = "ranklet::loader::(anonymous namespace)::run_thread(";

pid_t this_thread() noexcept
{
  return static_cast<pid_t>(::syscall(SYS_gettid));
}

[[noreturn]] void wait_for_the_end() noexcept
{
  for (;;) ::pause();
}

// A program or library that was overwritten while it ran: pages that no rank had changed are now other ones.
void write_changed_files(int descriptor, const ProcessState& process) noexcept
{
  process.for_each_changed_file(
      [](const char* path, void* to) {
        CrashLine line;
        line.add("  %s was overwritten while the job ran, which may be why\n", path);
        if (::write(*static_cast<int*>(to), line.text().data(), line.text().size()) < 0) return;
      },
      &descriptor);
}

}  // namespace

// What the handler needs, prepared while all is well.
//
// Names of functions and lines are looked up by a thread of its own: that needs memory, and the fault may
// have come inside malloc, whose lock this thread then holds.
struct CrashReports::Installed {
  Installed(JobOutput& job_output, Recovery job_recovery) : output(job_output), recovery(job_recovery)
  {
    ::sem_init(&wanted, 0, 0);
    ::sem_init(&done, 0, 0);
    {
      const SignalsBlocked blocked;
      namer = std::thread([this] { name_addresses(); });
    }
    // ThreadSanitizer's runtime makes what it keeps of a thread's signals in the thread's first call that
    // blocks, and loses a signal that comes just then: for the host's main thread that is here, before any
    // signal is handled.
    while (::sem_wait(&done) != 0) {
    }
  }

  ~Installed()
  {
    stop = true;
    ::sem_post(&wanted);
    namer.join();
    ::sem_destroy(&wanted);
    ::sem_destroy(&done);
  }

  void name_addresses()
  {
    sigset_t faults_only;
    ::sigemptyset(&faults_only);
    for (int signal : fault_signals) ::sigaddset(&faults_only, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &faults_only, nullptr);
    use_alternate_stack();
    // release pairs with the acquire in report_crash().
    namer_id.store(this_thread(), std::memory_order_release);
    ::sem_post(&done);
    while (::sem_wait(&wanted) != 0)
      ;
    if (!stop) {
      for (std::size_t i = 0; i < frames.count; ++i) {
        const std::string text = describe_code(frames.address[i]);
        const std::size_t length = std::min(text.size(), names[i].size() - 1);
        std::memcpy(names[i].data(), text.data(), length);
        // release pairs with the acquire in write_frames().
        named.store(i + 1, std::memory_order_release);
      }
      ::sem_post(&done);
    }
    drop_alternate_stack();
  }

  void write_frames(int descriptor) noexcept;
  void finish_output() noexcept RANKLET_UNCHECKED;  // tries the lock, and keeps it: the process ends

  JobOutput& output;
  const Recovery recovery;  // null: there is none
  Mutex states_mutex;
  std::vector<std::shared_ptr<LibcState>> states RANKLET_GUARDED_BY(states_mutex);

  const pid_t process = ::getpid();
  std::atomic<pid_t> reporter = 0;  // thread that reports
  std::atomic<int> faults = 0;      // of the reporter
  int exit_code = 0;                // written by the reporter
  std::array<struct sigaction, NSIG> previous{};

  sem_t wanted, done;
  bool stop = false;
  std::thread namer;
  std::atomic<pid_t> namer_id = 0;
  Frames frames;
  std::atomic<std::size_t> named = 0;
  std::array<std::array<char, 256>, Frames::capacity> names{};
};

namespace {

// A signal handler has no other way to reach what was installed.
std::atomic<CrashReports*> current_reports = nullptr;

}  // namespace

void CrashReports::Installed::write_frames(int descriptor) noexcept
{
  timespec deadline;
  ::clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += seconds_for_names;
  ::sem_post(&wanted);
  while (::sem_timedwait(&done, &deadline) != 0 && errno == EINTR)
    ;
  // acquire pairs with the release in name_addresses(): these names are complete.
  const std::size_t count = named.load(std::memory_order_acquire);
  std::size_t number = 0;
  for (std::size_t i = 0; i < frames.count; ++i) {
    const char* const name = i < count ? names[i].data() : nullptr;
    // The way from abort() to the signal says nothing.
    if (exit_code == 128 + SIGABRT && number == 0 && is_inside_libc(frames.address[i])) continue;
    CrashLine line;
    line.add("  #%-2zu ", number++);
    if (name != nullptr)
      line.add("%s\n", name);
    else
      line.add("0x%zx\n", reinterpret_cast<std::size_t>(frames.address[i]));
    const auto written = ::write(descriptor, line.text().data(), line.text().size());
    if (written < 0) break;
    // What called main, or a thread's function, is ours.
    const std::string_view text = name != nullptr ? name : "";
    if (text.starts_with("main() ") || text.starts_with("main(")) break;
    if (i + 1 < count && std::string_view(names[i + 1].data()).starts_with(thread_start)) break;
  }
}

void CrashReports::Installed::finish_output() noexcept
{
  Patience patience(time_for_locks);
  if (patience.until([this] { return states_mutex.try_lock(); }))
    for (const auto& state : states) flush_stdio_after_crash(*state, patience);
  output.flush_after_crash(patience);
}

CrashReports::CrashReports(JobOutput& output, Recovery recovery)
    : installed_(std::make_unique<Installed>(output, recovery))
{
  use_alternate_stack();
  // release pairs with the acquire in report_crash() and recovers().
  current_reports.store(this, std::memory_order_release);
  for (int signal : fault_signals) {
    struct sigaction action {};
    action.sa_sigaction = [](int number, siginfo_t* info, void* context) {
      if (!recovers(number, context)) report_crash(number, info, context);
    };
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    ::sigaction(signal, &action, &installed_->previous[static_cast<std::size_t>(signal)]);
  }
}

CrashReports::~CrashReports()
{
  for (int signal : fault_signals)
    ::sigaction(signal, &installed_->previous[static_cast<std::size_t>(signal)], nullptr);
  current_reports.store(nullptr, std::memory_order_release);
}

void CrashReports::add(std::shared_ptr<LibcState> state)
{
  const Holder guard(installed_->states_mutex);
  installed_->states.push_back(std::move(state));
}

void CrashReports::remove(const LibcState& state)
{
  const Holder guard(installed_->states_mutex);
  std::erase_if(installed_->states, [&](const auto& known) { return known.get() == &state; });
}

bool recovers(int signal, void* context) noexcept
{
  if (signal != SIGBUS) return false;
  // acquire pairs with the release in CrashReports().
  const CrashReports* const reports = current_reports.load(std::memory_order_acquire);
  return reports != nullptr && reports->installed_->recovery != nullptr &&
         reports->installed_->recovery(context);
}

void report_crash(int signal, siginfo_t* info, void* context)
{
  // acquire pairs with the release in CrashReports().
  CrashReports* const reports = current_reports.load(std::memory_order_acquire);
  if (reports == nullptr || reports->installed_->process != ::getpid()) die_by(signal);
  CrashReports::Installed& job = *reports->installed_;

  // acquire pairs with the release in name_addresses().
  if (this_thread() == job.namer_id.load(std::memory_order_acquire)) {
    ::sem_post(&job.done);  // the debug information is broken, or the memory: report without names
    wait_for_the_end();
  }
  // relaxed is enough for these two: one thread wins, and only that one goes on to read what it wrote.
  pid_t reporter = 0;
  if (!job.reporter.compare_exchange_strong(reporter, this_thread(), std::memory_order_relaxed) &&
      reporter != this_thread())
    wait_for_the_end();
  const int fault = job.faults.fetch_add(1, std::memory_order_relaxed);
  if (fault == 0) job.exit_code = 128 + signal;
  if (fault > 1) ::_exit(job.exit_code);

  LibcState* const state = current_libc();
  const int descriptor = job.output.note_descriptor();
  CrashLine line;
  if (fault == 1) {
    line.add("ranklet: another fault (signal %d) while reporting\n", signal);
  } else {
    end_soon(job.exit_code);
    line.add("ranklet: ");
    if (state != nullptr) line.add("%s ", state->process.name.c_str());
    line.add("got signal %d (SIG%s, %s)", signal, ::sigabbrev_np(signal), ::sigdescr_np(signal));
    add_cause(line, *info, stack_pointer_of(context));
    line.add("\n");
  }
  if (fault == 0) {
    const auto lock = job.output.hold_notes();
    if (::write(descriptor, line.text().data(), line.text().size()) > 0) {
      if (state != nullptr) write_changed_files(descriptor, state->process);
      collect_frames(job.frames, context);
      job.write_frames(descriptor);
    }
  } else if (::write(descriptor, line.text().data(), line.text().size()) < 0) {
    ::_exit(job.exit_code);
  }
  job.finish_output();
  if (fault > 0) ::_exit(job.exit_code);
  // Not _exit: the kernel writes a core file, if the limits allow one, in which this thread is the first.
  die_by(signal);
}

void CrashReports::await_report() const noexcept
{
  // relaxed is enough: the thread that reports ends the process.
  if (installed_->reporter.load(std::memory_order_relaxed) != 0) wait_for_the_end();
}

}  // namespace ranklet::loader
