// Which signals the calling thread takes.
#pragma once

#include <csignal>

namespace ranklet {

// While it lives, the calling thread takes no signal. Threads that are made meanwhile never do: what belongs
// to no rank must not get a rank's signals, nor interrupt itself.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept
  {
    sigfillset(&all_);
    pthread_sigmask(SIG_BLOCK, &all_, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  // What is blocked: all of them.
  const sigset_t& set() const noexcept { return all_; }

 private:
  sigset_t all_;
  sigset_t before_;
};

// While it lives, the calling thread takes SIGBUS for what it does itself, whatever it blocks: a fault under
// a blocked signal ends the process.
class BusErrorsTaken {
 public:
  BusErrorsTaken() noexcept
  {
    sigemptyset(&bus_errors_);
    sigaddset(&bus_errors_, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &bus_errors_, &before_);
  }
  ~BusErrorsTaken()
  {
    if (sigismember(&before_, SIGBUS) == 1) pthread_sigmask(SIG_BLOCK, &bus_errors_, nullptr);
  }
  BusErrorsTaken(const BusErrorsTaken&) = delete;
  BusErrorsTaken& operator=(const BusErrorsTaken&) = delete;

 private:
  sigset_t bus_errors_;
  sigset_t before_;
};

}  // namespace ranklet
