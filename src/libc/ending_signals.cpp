#include "libc/ending_signals.hpp"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

#include "base/signal_mask.hpp"
#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

constexpr int seconds_to_end = 10;

std::vector<int> ending_signals()
{
  std::vector<int> signals{SIGHUP,  SIGINT,    SIGQUIT, SIGTERM, SIGUSR2,   SIGPIPE, SIGALRM,
                           SIGPOLL, SIGVTALRM, SIGPROF, SIGPWR,  SIGSTKFLT, SIGXCPU, SIGXFSZ};
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) signals.push_back(signal);
  return signals;
}

// relaxed, in both places: it is stored before the alarm is set, and stands for nothing else.
std::atomic<int> code_in_the_end = 0;

void end_now(int)
{
  ::_exit(code_in_the_end.load(std::memory_order_relaxed));
}

void unblock(int signal) noexcept
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace

struct EndingSignals::Installed {
  Installed(std::function<void(const SignalCause&)> end_job, std::function<bool(int)> deliver_to_ranks)
      : end(std::move(end_job)), deliver(std::move(deliver_to_ranks))
  {
    ::sem_init(&wanted, 0, 0);
    const SignalsBlocked blocked;
    std::thread([this] { wait_and_end(); }).detach();
  }

  [[noreturn]] void wait_and_end()
  {
    do {
      while (::sem_wait(&wanted) != 0) {
      }
      pass_on();
      // acquire pairs with the release in know_cause(). Not `taken`: a handler that has just set it, while we
      // were in pass_on(), may not have written the cause yet. It posts after that, so if we come too early
      // we wait again.
    } while (!cause_is_known.load(std::memory_order_acquire));
    end(cause);
    die_by(cause.signal);
  }

  // By the one that has set `taken`.
  void know_cause(const SignalCause& known) noexcept
  {
    cause = known;
    // release publishes the cause to wait_and_end().
    cause_is_known.store(true, std::memory_order_release);
    end_soon(128 + known.signal);
  }

  // What came from outside: to the ranks, or the end.
  void pass_on()
  {
    // acquire pairs with the release in end_by_signal(): the sender.
    const std::uint64_t signals = outside.exchange(0, std::memory_order_acquire);
    for (int signal = 1; signal < 64; ++signal) {
      if ((signals & std::uint64_t{1} << signal) == 0 || deliver(signal)) continue;
      // relaxed, both: one thread wins; the sender has come with the acquire above.
      if (taken.exchange(true, std::memory_order_relaxed)) return;
      know_cause({signal, nullptr, sender.load(std::memory_order_relaxed)});
    }
  }

  const pid_t process = ::getpid();
  const std::function<void(const SignalCause&)> end;
  const std::function<bool(int)> deliver;
  std::atomic<std::uint64_t> outside = 0;  // signals to be delivered, by number
  std::atomic<pid_t> sender = 0;           // of the last one
  std::atomic<bool> taken = false;         // by a handler, or by the thread that waits
  SignalCause cause{};                     // written once, by whoever has set `taken`
  std::atomic<bool> cause_is_known = false;
  sem_t wanted;
};

namespace {

// A signal handler has no other way to reach what was installed.
std::atomic<EndingSignals*> current_ending = nullptr;

// Whether it was meant for the thread that it came to.
bool is_for_this_thread(int signal, const siginfo_t& info) noexcept
{
  return sent_by_this_process(info) || info.si_code == SI_TIMER ||
         (signal == SIGPIPE && info.si_code == SI_USER && info.si_pid == ::getpid());
}

}  // namespace

bool is_from_outside(int signal, const siginfo_t* info) noexcept
{
  const bool asks_to_end =
      signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT || signal == SIGUSR2;
  if (!asks_to_end || info == nullptr || info->si_code == SI_TKILL || info->si_code == SI_TIMER) return false;
  return info->si_code == SI_KERNEL || info->si_pid != ::getpid();
}

bool sent_by_this_process(const siginfo_t& info) noexcept
{
  return info.si_code == SI_TKILL && info.si_pid == ::getpid();
}

void die_by(int signal) noexcept
{
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
  unblock(signal);
  ::raise(signal);
  ::_exit(128 + signal);
}

void end_soon(int code) noexcept
{
  code_in_the_end.store(code, std::memory_order_relaxed);
  struct sigaction action {};
  action.sa_handler = end_now;
  ::sigaction(SIGALRM, &action, nullptr);
  unblock(SIGALRM);
  ::alarm(seconds_to_end);
}

void end_by_signal(int signal, const siginfo_t* info) noexcept
{
  // acquire pairs with the release in EndingSignals().
  EndingSignals* const ending = current_ending.load(std::memory_order_acquire);
  if (ending == nullptr || ending->installed_->process != ::getpid()) die_by(signal);
  EndingSignals::Installed& job = *ending->installed_;
  if (job.deliver && is_from_outside(signal, info)) {
    // relaxed: published by the next line, whose release pairs with the acquire in pass_on().
    job.sender.store(info->si_code > 0 ? 0 : info->si_pid, std::memory_order_relaxed);
    job.outside.fetch_or(std::uint64_t{1} << signal, std::memory_order_release);
    ::sem_post(&job.wanted);
    return;
  }
  LibcState* const state = current_libc();
  const bool is_own = state != nullptr && info != nullptr && is_for_this_thread(signal, *info);
  // relaxed is enough: one thread wins, and know_cause() publishes what it writes.
  if (!job.taken.exchange(true, std::memory_order_relaxed)) {
    const bool has_sender =
        info != nullptr && !is_own && (info->si_code == SI_USER || info->si_code == SI_QUEUE);
    job.know_cause({signal, is_own ? &state->process : nullptr, has_sender ? info->si_pid : 0});
    ::sem_post(&job.wanted);
  }
  while (is_own) ::pause();
}

EndingSignals::EndingSignals(std::function<void(const SignalCause&)> end, std::function<bool(int)> deliver)
    : installed_(std::make_unique<Installed>(std::move(end), std::move(deliver)))
{
  // release pairs with the acquire in end_by_signal().
  current_ending.store(this, std::memory_order_release);
  for (const int signal : ending_signals()) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_sigaction = [](int number, siginfo_t* info, void*) {
      const int error = errno;
      end_by_signal(number, info);
      errno = error;
    };
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
}

EndingSignals::~EndingSignals()
{
  current_ending.store(nullptr, std::memory_order_release);
}

}  // namespace ranklet::loader
