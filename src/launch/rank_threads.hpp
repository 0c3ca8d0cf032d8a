// What the kernel says about the ranks' main threads.
#pragma once

#include <chrono>
#include <vector>

#include <sys/types.h>

#include "base/guarded.hpp"

namespace ranklet::launch {

// The calling thread does nothing any more.
[[noreturn]] void sleep_for_ever();

// Thread-safe.
class RankThreads {
 public:
  explicit RankThreads(int ranks) : threads_(static_cast<std::size_t>(ranks), not_started) {}

  // On the rank's main thread, first.
  void started(int rank);

  // Waits until the threads of all ranks but this one (-1: of all) sleep, at most so long. Ranks that are
  // processes go on for a moment, too, when one of them ends the job: what they are just printing is seen.
  void await_rest(int except, std::chrono::milliseconds longest) const;

 private:
  bool at_rest(int except) const;

  static constexpr pid_t not_started = 0;
  mutable Mutex mutex_;
  std::vector<pid_t> threads_ RANKLET_GUARDED_BY(mutex_);  // by rank
};

}  // namespace ranklet::launch
