// Threads that run one function after another: those of the ranks of ranklet::run, kept for the next run.
//
// Thread safety: Teams are independent of each other, whichever threads make them. A Team is used by one
// thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <vector>

#include "base/guarded.hpp"

namespace ranklet {

// Runs body(0) … body(size - 1), each on a thread of its own, at the same time.
class Team {
 public:
  // Starts. body does not throw. Throws std::system_error, with nothing started, if there are no threads
  // left.
  Team(int size, std::function<void(int)> body);
  // Waits for the end.
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Whether all have ended; waits for that at most so long.
  bool wait_for(std::chrono::milliseconds longest);
  void wait();

 private:
  friend class Workers;

  void member_ended();

  const std::function<void(int)> body_;
  Mutex mutex_;
  std::condition_variable all_ended_;
  int running_ RANKLET_GUARDED_BY(mutex_);
};

}  // namespace ranklet
