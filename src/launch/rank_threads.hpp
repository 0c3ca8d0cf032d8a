// What the kernel says about the ranks' threads.
#pragma once

#include <chrono>
#include <vector>

#include <sys/types.h>

#include "base/guarded.hpp"

namespace ranklet::launch {

// The calling thread does nothing any more.
[[noreturn]] void sleep_for_ever();

// How long a job's end waits for ranks that run: by the processor time that they had, as on a busy machine
// they may have next to none, and in any case not for long.
class TimeToRest {
 public:
  TimeToRest() noexcept;
  bool is_over() const noexcept;

 private:
  const std::chrono::steady_clock::time_point begin_;
  const std::chrono::nanoseconds used_;  // of the process, at the begin
};

// Thread-safe.
class RankThreads {
 public:
  explicit RankThreads(int ranks) : threads_(static_cast<std::size_t>(ranks), not_started) {}

  // On the rank's main thread, first.
  void started(int rank);

  // Waits until all ranks but this one (-1: all) have begun and all threads of the process but this one's
  // sleep, or the time is over. Ranks that are processes go on for a moment, too, when one of them ends the
  // job: what they are just printing is seen.
  void await_rest(int except, const TimeToRest& time) const;

 private:
  bool at_rest(int except) const;

  static constexpr pid_t not_started = 0;
  mutable Mutex mutex_;
  std::vector<pid_t> threads_ RANKLET_GUARDED_BY(mutex_);  // by rank
};

}  // namespace ranklet::launch
