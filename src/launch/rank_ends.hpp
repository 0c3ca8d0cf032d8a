// How the ranks of a job end, and with which code the job does.
#pragma once

#include <condition_variable>
#include <string>
#include <vector>

#include "base/guarded.hpp"

namespace ranklet::launch {

// Thread-safe.
class RankEnds {
 public:
  explicit RankEnds(int ranks) : codes_(static_cast<std::size_t>(ranks), -1), running_(ranks) {}

  // False if this rank has ended before: only its first end counts.
  bool ended(int rank, int code);
  bool is_running(int rank) const;
  bool have_all() const;
  void wait_for_all();

  // The code of the rank that failed first, else 0.
  int job_code() const;
  // "rank 1 exited with code 3", "ranks 0-2,5 exited with code 1": a line for each code but 0, or for each
  // code if `all`. "rank 1 of world 2 …" where another job has started this one.
  std::vector<std::string> lines(bool all, int world = 1) const;

 private:
  mutable Mutex mutex_;
  std::condition_variable all_ended_;
  std::vector<int> codes_ RANKLET_GUARDED_BY(mutex_);  // -1: runs
  int running_ RANKLET_GUARDED_BY(mutex_);
  int first_failure_ RANKLET_GUARDED_BY(mutex_) = 0;
};

// "3", "0-2,5"
std::string ranges_text(const std::vector<int>& sorted);

}  // namespace ranklet::launch
