// Which threads of a rank have slept for long where only another thread may wake them: in a futex without a
// time limit, as pthread_cond_wait, pthread_mutex_lock, sem_wait and pthread_join use it, and OpenMP's
// workers between parallel regions.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/guarded.hpp"

namespace ranklet {

// A file in which the kernel tells of a thread of this process: "syscall", "status".
std::string file_of_thread(pid_t thread, const char* name);

// Thread-safe.
class SleepingThreads {
 public:
  // A waker that is no thread of the rank, such as a signal's handler, has that long to wake one.
  static constexpr std::chrono::seconds patience{3};

  explicit SleepingThreads(int ranks, std::chrono::milliseconds long_enough = patience)
      : long_enough_(long_enough), ranks_(static_cast<std::size_t>(ranks))
  {
  }

  // How many of these threads of the rank, by the kernel's number, sleep so since a look that was long ago.
  // 0 where the kernel does not tell.
  int count(int rank, const std::vector<pid_t>& threads) { return count(rank, threads, threads, false); }
  // The same of any threads of the process, all of which are `all`: whatever one of those may wake.
  int count_in_process(const std::vector<pid_t>& threads, const std::vector<pid_t>& all)
  {
    return count(0, threads, all, true);
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Sleep {
    std::int64_t switches = 0;  // how often the thread has gone to sleep
    Time seen;                  // first
  };

  int count(int rank, const std::vector<pid_t>& threads, const std::vector<pid_t>& known, bool by_anybody);

  const std::chrono::milliseconds long_enough_;
  Mutex mutex_;
  std::vector<std::map<pid_t, Sleep>> ranks_ RANKLET_GUARDED_BY(mutex_);
};

}  // namespace ranklet
