// Whose turn it is to unwind its stack.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "ranks/rank.hpp"

namespace ranklet::api {

// Stacks are unwound one after another: destructors of a test may touch what all ranks share, and those of
// doctest's INFO do.
class Turns {
 public:
  // Not for ever: a destructor of the one whose turn it is may wait for this rank.
  void await(const Rank& rank, std::chrono::milliseconds longest)
  {
    std::unique_lock lock(mutex_);
    if (unwinds_ == &rank) return;
    left_.wait_for(lock, longest, [this] { return unwinds_ == nullptr; });
    unwinds_ = &rank;
  }
  void leave(const Rank& rank)
  {
    const std::lock_guard guard(mutex_);
    if (unwinds_ != &rank) return;
    unwinds_ = nullptr;
    left_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable left_;
  const Rank* unwinds_ = nullptr;
};

}  // namespace ranklet::api
