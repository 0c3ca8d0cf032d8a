// For locks that their owner may never release: a thread that crashed, or that was stopped for good.
#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace ranklet::loader {

// All attempts through one object together take at most so long; each is made once at least. May be used in a
// signal handler.
class Patience {
 public:
  explicit Patience(std::chrono::milliseconds longest) noexcept : left_(longest) {}

  // Calls the function, which returns whether it has succeeded, until it does.
  template <class Attempt>
  bool until(Attempt&& attempt) noexcept
  {
    // By the clock: on busy cores a yield takes milliseconds, and a short sleep several.
    const auto begin = Clock::now();
    Clock::duration waited{};
    bool done = attempt();
    for (; !done && waited < left_; done = attempt()) {
      if (waited < std::chrono::microseconds(100)) {
        ::sched_yield();
      } else {
        const timespec millisecond{0, 1'000'000};
        ::nanosleep(&millisecond, nullptr);
      }
      waited = Clock::now() - begin;
    }
    left_ -= std::min(left_, waited);
    return done;
  }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::duration left_;
};

}  // namespace ranklet::loader
