// Signals that a rank sends to itself as a process, and those that its threads wait for.
//
// kill(getpid(), …) means the rank. The kernel would choose among all threads of the job, so the choice is
// made here, as signal(7) says: a thread of the rank that does not block the signal, the calling one first; a
// thread that waits for it; else it stays pending until a thread of the rank waits for it or unblocks it.

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "libc/libc_state.hpp"
#include "process/thread_record.hpp"

namespace ranklet::loader {

namespace {

bool is_member(const sigset_t& set, int signal)
{
  return ::sigismember(&set, signal) == 1;
}

sigset_t mask_of_this_thread()
{
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return mask;
}

// Whether another thread of this process blocks a signal: only the kernel's list tells.
bool is_blocked_in(pid_t thread, int signal)
{
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/status", static_cast<int>(thread));
  std::FILE* const status = std::fopen(path, "re");
  if (status == nullptr) return true;
  unsigned long long blocked = ~0ULL;
  char line[256];
  while (std::fgets(line, sizeof line, status) != nullptr)
    if (std::sscanf(line, "SigBlk: %llx", &blocked) == 1) break;
  std::fclose(status);
  return (blocked >> (signal - 1) & 1) != 0;
}

// Whether a handler of the program runs on this thread: below the frame that called it. A handler that ended
// by longjmp has left its frame behind.
bool is_in_handler()
{
  const ThreadRecord* const record = host_thread().record;
  return record != nullptr && record->handler_frame != nullptr &&
         __builtin_frame_address(0) < record->handler_frame;
}

// Another thread of the rank that does not block the signal.
const ThreadRecord* find_receiver(const ProcessState& process, int signal)
    RANKLET_REQUIRES(process.threads_mutex)
{
  for (const ThreadRecord* const record : process.threads)
    if (record != host_thread().record && !is_blocked_in(record->id, signal)) return record;
  return nullptr;
}

int send_to(pthread_t thread, int signal, const sigval* value)
{
  return value == nullptr ? ::pthread_kill(thread, signal) : ::pthread_sigqueue(thread, signal, *value);
}

}  // namespace

int Signals::send(ProcessState& process, int signal, const sigval* value)
{
  if (signal <= 0 || signal >= NSIG) return EINVAL;
  if (!is_member(mask_of_this_thread(), signal)) return send_to(::pthread_self(), signal, value);
  // A handler may have interrupted whoever holds the lock or allocates, and what it blocks it blocks for a
  // moment: the signal comes to this thread when it returns.
  const bool in_handler = is_in_handler();
  if (in_handler) {
    if (waiting_mutex_.try_lock()) {
      const Holder guard(waiting_mutex_, std::adopt_lock);
      if (const Waiter* const waiter = find_waiter(signal)) return send_to(waiter->thread, signal, value);
    }
    return send_to(::pthread_self(), signal, value);
  }
  {
    const Holder guard(waiting_mutex_);
    if (const Waiter* const waiter = find_waiter(signal)) return send_to(waiter->thread, signal, value);
  }
  {
    const Holder guard(process.threads_mutex);
    if (const ThreadRecord* const record = find_receiver(process, signal))
      return send_to(record->thread, signal, value);
  }
  {
    const Holder guard(waiting_mutex_);
    // One that waits by now has found nothing pending.
    if (const Waiter* const waiter = find_waiter(signal)) return send_to(waiter->thread, signal, value);
    // Of the standard signals only one of a kind is kept.
    const bool known = std::any_of(pending_.begin(), pending_.end(),
                                   [signal](const Pending& entry) { return entry.signal == signal; });
    if (signal >= SIGRTMIN || !known)
      pending_.push_back({signal, value == nullptr ? sigval{} : *value, value != nullptr});
    // seq_cst, here and in has_pending(): a thread that unblocks the signal at this moment finds it, or is
    // found below.
    has_pending_.store(true, std::memory_order_seq_cst);
  }
  const Holder threads_guard(process.threads_mutex);
  const ThreadRecord* const record = find_receiver(process, signal);
  if (record == nullptr) return 0;
  const Holder guard(waiting_mutex_);
  const auto kept = std::find_if(pending_.begin(), pending_.end(),
                                 [signal](const Pending& entry) { return entry.signal == signal; });
  if (kept == pending_.end()) return 0;
  send_to(record->thread, signal, kept->queued ? &kept->value : nullptr);
  pending_.erase(kept);
  return 0;
}

const Signals::Waiter* Signals::find_waiter(int signal) const
{
  const auto found = std::find_if(waiters_.begin(), waiters_.end(),
                                  [signal](const Waiter* waiter) { return is_member(waiter->set, signal); });
  return found != waiters_.end() ? *found : nullptr;
}

void Signals::take_over(const sigset_t& set, bool inverted)
{
  if (!has_pending()) return;
  const Holder guard(waiting_mutex_);
  std::erase_if(pending_, [&](const Pending& entry) {
    if (is_member(set, entry.signal) == inverted) return false;
    send_to(::pthread_self(), entry.signal, entry.queued ? &entry.value : nullptr);
    return true;
  });
  // release is enough: a thread that still sees true looks under the lock and finds nothing. It becomes true
  // under the same lock.
  has_pending_.store(!pending_.empty(), std::memory_order_release);
}

void Signals::add_pending(sigset_t& set)
{
  const Holder guard(waiting_mutex_);
  for (const Pending& entry : pending_) ::sigaddset(&set, entry.signal);
}

// For the time in which the calling thread waits for signals of a set.
class Signals::Waiting {
 public:
  Waiting(Signals& signals, const sigset_t& set) : signals_(signals), waiter_{set, ::pthread_self()}
  {
    {
      const Holder guard(signals_.waiting_mutex_);
      signals_.waiters_.push_back(&waiter_);
    }
    signals_.take_over(set, false);
  }
  ~Waiting()
  {
    const Holder guard(signals_.waiting_mutex_);
    std::erase(signals_.waiters_, &waiter_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Signals& signals_;
  Waiter waiter_;
};

int Signals::wait(const sigset_t* set, siginfo_t* info, const timespec* timeout)
{
  const Waiting waiting(*this, *set);
  return ::sigtimedwait(set, info, timeout);
}

namespace {

bool is_own_process(pid_t process)
{
  LibcState* const state = current_libc();
  return state != nullptr && !state->children.in_child() && process == ::getpid();
}

int rank_kill(pid_t process, int signal)
{
  // Those two cannot be for one thread; 0 asks whether the process exists.
  if (!is_own_process(process) || signal == 0 || signal == SIGKILL || signal == SIGSTOP)
    return ::kill(process, signal);
  const int error = current_libc()->signals.send(current_libc()->process, signal, nullptr);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int rank_sigqueue(pid_t process, int signal, const sigval value)
{
  if (!is_own_process(process) || signal == 0 || signal == SIGKILL || signal == SIGSTOP)
    return ::sigqueue(process, signal, value);
  const int error = current_libc()->signals.send(current_libc()->process, signal, &value);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int rank_sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout)
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->signals.wait(set, info, timeout) : ::sigtimedwait(set, info, timeout);
}

int rank_sigwaitinfo(const sigset_t* set, siginfo_t* info)
{
  return rank_sigtimedwait(set, info, nullptr);
}

int rank_sigwait(const sigset_t* set, int* signal)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return ::sigwait(set, signal);
  int got;
  do got = state->signals.wait(set, nullptr, nullptr);
  while (got < 0 && errno == EINTR);
  if (got < 0) return errno;
  *signal = got;
  return 0;
}

int rank_sigmask(int how, const sigset_t* set, sigset_t* previous)
{
  const int error = ::pthread_sigmask(how, set, previous);
  LibcState* const state = current_libc();
  if (error == 0 && set != nullptr && state != nullptr && state->signals.has_pending())
    state->signals.take_over(mask_of_this_thread(), true);
  return error;
}

int rank_sigprocmask(int how, const sigset_t* set, sigset_t* previous)
{
  const int error = rank_sigmask(how, set, previous);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

// What the call lets through comes to this thread, where it waits for the call.
int rank_sigsuspend(const sigset_t* mask)
{
  if (LibcState* const state = current_libc()) state->signals.take_over(*mask, true);
  return ::sigsuspend(mask);
}

int rank_sigpending(sigset_t* set)
{
  if (::sigpending(set) != 0) return -1;
  if (LibcState* const state = current_libc()) state->signals.add_pending(*set);
  return 0;
}

const Override signal_waiting_table[] = {
    override_with("kill", &rank_kill),
    override_with("sigqueue", &rank_sigqueue),
    override_with("sigwait", &rank_sigwait),
    override_with("sigwaitinfo", &rank_sigwaitinfo),
    override_with("sigtimedwait", &rank_sigtimedwait),
    override_with("pthread_sigmask", &rank_sigmask),
    override_with("sigprocmask", &rank_sigprocmask),
    override_with("sigsuspend", &rank_sigsuspend),
    override_with("sigpending", &rank_sigpending),
};

}  // namespace

std::span<const Override> signal_waiting_overrides()
{
  return signal_waiting_table;
}

}  // namespace ranklet::loader
