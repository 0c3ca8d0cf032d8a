// Signal handlers and the alarm clock of a rank.
#pragma once

#include <pthread.h>
#include <sys/time.h>

#include <array>
#include <atomic>
#include <csignal>
#include <ctime>
#include <vector>

#include "base/guarded.hpp"

namespace ranklet::loader {

struct LibcState;
struct ProcessState;

// Each rank has a table of actions. The kernel's action for a signal that some rank handles is a dispatcher,
// which calls the handler of the rank whose thread the signal hit: right for faults, raise(), kill(getpid(),
// …), alarm() and setitimer(ITIMER_REAL). A signal sent to the job from outside goes to all ranks if it asks
// programs to end (ending_signals.hpp), else to whichever thread the kernel chooses. Masks are per thread, as
// ever; what a rank sends to itself is pending for all of its threads (signal_waiting.cpp); other
// interval timers count the CPU time of the whole job.
class Signals {
 public:
  // On the rank's main thread.
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // sigaction(2).
  int set(int signal, const struct sigaction* action, struct sigaction* previous);
  // setitimer(2) for ITIMER_REAL: SIGALRM goes to the rank's main thread.
  int set_timer(const itimerval* value, itimerval* previous);

  // Runs the rank's action for a signal that the calling thread received. False if it is the default one.
  bool handle(int signal, siginfo_t* info, void* context);

  // kill(getpid(), …) and sigqueue: to the rank. An error number, or 0.
  int send(ProcessState& process, int signal, const sigval* value);
  // sigtimedwait(2).
  int wait(const sigset_t* set, siginfo_t* info, const timespec* timeout);
  // What is pending for the rank and in the set (inverted: not in it) becomes pending for this thread.
  void take_over(const sigset_t& set, bool inverted);
  // Behind a change of the thread's mask: seq_cst, as send() stores it before it looks at the masks.
  bool has_pending() const noexcept { return has_pending_.load(std::memory_order_seq_cst); }
  void add_pending(sigset_t& set);

  // Whether the rank has a handler of its own.
  bool handles(int signal) const noexcept;
  // A signal from outside, given to the rank if it handles it. False: its action is the default one. On a
  // thread that blocks the signal.
  bool takes(ProcessState& process, int signal);
  // Whether the rank wants nothing to be left of children that end (sigaction(2), SA_NOCLDWAIT).
  bool drops_children() const noexcept;
  // How many handlers have run that do not restart the calls they interrupt.
  // relaxed is enough: a thread asks about handlers that ran on itself.
  unsigned interruptions() const noexcept { return interruptions_.load(std::memory_order_relaxed); }

 private:
  class Waiting;
  struct Waiter {
    sigset_t set;
    pthread_t thread;
  };
  struct Pending {
    int signal;
    sigval value;
    bool queued;  // by sigqueue: with the value
  };

  const Waiter* find_waiter(int signal) const RANKLET_REQUIRES(waiting_mutex_);

  Mutex waiting_mutex_;
  std::vector<const Waiter*> waiters_ RANKLET_GUARDED_BY(waiting_mutex_);
  std::vector<Pending> pending_ RANKLET_GUARDED_BY(waiting_mutex_);  // signals that all threads block
  std::atomic<bool> has_pending_ = false;

  pid_t main_thread_;
  std::atomic<unsigned> interruptions_ = 0;
  Mutex mutex_;
  std::array<struct sigaction, NSIG> actions_{};  // changed under the lock; handlers read it without
  bool has_timer_ RANKLET_GUARDED_BY(mutex_) = false;
  timer_t timer_ RANKLET_GUARDED_BY(mutex_){};
};

// Signals that mean a fault in the program: their default action is a report (crash_report.hpp).
bool is_fault(int signal) noexcept;

}  // namespace ranklet::loader
