// For locks that their owner may never release: a thread that crashed, or that was stopped for good.
#pragma once

#include <sched.h>

#include <chrono>
#include <ctime>

namespace ranklet::loader {

// All attempts through one object together take at most so long; each is made once at least. May be used in a
// signal handler.
class Patience {
 public:
  explicit Patience(std::chrono::milliseconds longest) noexcept : left_(longest.count()) {}

  // Calls the function, which returns whether it has succeeded, until it does.
  template <class Attempt>
  bool until(Attempt&& attempt) noexcept
  {
    for (int yields = 0; yields < 200; ++yields) {
      if (attempt()) return true;
      ::sched_yield();
    }
    for (; left_ > 0; --left_) {
      const timespec millisecond{0, 1'000'000};
      ::nanosleep(&millisecond, nullptr);
      if (attempt()) return true;
    }
    return false;
  }

 private:
  std::chrono::milliseconds::rep left_;
};

}  // namespace ranklet::loader
