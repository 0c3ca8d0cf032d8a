// Whose turn it is to unwind its stack.
#pragma once

#include <chrono>
#include <condition_variable>

#include "base/guarded.hpp"
#include "ranks/rank.hpp"

namespace ranklet::api {

// Stacks are unwound one after another: destructors of a test may touch what all ranks share, and those of
// doctest's INFO do.
class Turns {
 public:
  // Not for ever: a destructor of the one whose turn it is may wait for this rank.
  void await(const Rank& rank, std::chrono::milliseconds longest)
  {
    MutexHolder lock(mutex_);
    if (unwinds_ == &rank) return;
    const auto end = std::chrono::steady_clock::now() + longest;
    while (unwinds_ != nullptr && lock.wait_until(left_, end) != std::cv_status::timeout) {
    }
    unwinds_ = &rank;
  }
  void leave(const Rank& rank)
  {
    const Holder guard(mutex_);
    if (unwinds_ != &rank) return;
    unwinds_ = nullptr;
    left_.notify_one();
  }

 private:
  Mutex mutex_;
  std::condition_variable left_;
  const Rank* unwinds_ RANKLET_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace ranklet::api
