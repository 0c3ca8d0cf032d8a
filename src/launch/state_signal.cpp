#include "launch/state_signal.hpp"

#include <cerrno>
#include <csignal>
#include <thread>

#include <semaphore.h>

#include "base/signal_mask.hpp"
#include "libc/ending_signals.hpp"

namespace ranklet::launch {
namespace {

// Wishes that were not granted yet. The signal handler may do little else than post, and a descriptor might
// be closed by a rank that closes all it does not know.
sem_t wishes;

void want_state(int signal, siginfo_t* info, void*)
{
  const int error = errno;
  // A rank that sends it to itself wants to be ended, as it has no handler.
  if (loader::sent_by_this_process(*info))
    loader::end_by_signal(signal, info);
  else
    ::sem_post(&wishes);
  errno = error;
}

}  // namespace

void print_state_on_signal(std::function<void()> print)
{
  ::sem_init(&wishes, 0, 0);
  {
    const SignalsBlocked blocked;
    std::thread([print = std::move(print)] {
      while (true)
        if (::sem_wait(&wishes) == 0) print();
    }).detach();
  }
  struct sigaction action {};
  action.sa_sigaction = want_state;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  ::sigaction(SIGUSR1, &action, nullptr);
}

}  // namespace ranklet::launch
