// Whether all threads of the process sleep but those of which it is known that they wait, so that nothing in
// the process moves by itself.
//
// A thread counts as asleep when it has slept for long where only another thread may wake it
// (sleeping_threads.hpp). What computes, reads, polls, or sleeps for a time counts as awake, and so does a
// thread of which the kernel does not tell. As every sleep has begun before the look, all were asleep at the
// moment when the look began; a thread that ends during it is not found asleep. Nobody can wake the others
// then but what is no thread of the process: signals, of which at least timers' are looked for.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <vector>

#include <sys/types.h>

#include "base/guarded.hpp"
#include "base/sleeping_threads.hpp"

namespace ranklet {

// By the kernel's numbers, in the order in which they were made; without one that ThreadSanitizer has for
// itself, which wakes nobody. Empty where /proc does not tell.
std::vector<pid_t> threads_of_process();

class OtherThreads {
 public:
  explicit OtherThreads(std::chrono::milliseconds long_enough = SleepingThreads::patience)
      : sleeping_(1, long_enough)
  {
  }

  // Whether all sleep but these, which do nothing meanwhile. "No" may be the answer of a moment ago, so that
  // looks take a tenth of the time at most.
  bool all_sleep(const std::vector<pid_t>& but_these);

 private:
  using Clock = std::chrono::steady_clock;

  bool all_sleep_now(const std::vector<pid_t>& but_these);

  SleepingThreads sleeping_;
  Mutex mutex_;
  Clock::time_point next_look_ RANKLET_GUARDED_BY(mutex_);
};

}  // namespace ranklet
