// What the files of a job's ranks share: which inodes are open, and the threads that move data while the
// ranks do something else.
//
// Thread safety: any thread of any rank.
#pragma once

#include <sched.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "base/guarded.hpp"
#include "io/range_locks.hpp"
#include "io/system_calls.hpp"
#include "io/writers.hpp"
#include "ranks/job.hpp"

namespace ranklet::io {

// A file of the file system that the job has open, by however many handles.
struct Inode {
  RangeLocks locks;
  Writers writers;
};

class JobFiles {
 public:
  explicit JobFiles(Job& job) : job_(job) {}
  ~JobFiles() { stop(); }
  JobFiles(const JobFiles&) = delete;
  JobFiles& operator=(const JobFiles&) = delete;

  // Tests set this before any file is opened.
  const SystemCalls* calls = &native_calls;
  // The process's handler of SIGBUS calls recover_store() before all else. Set before any file is opened.
  bool recovers_stores = false;

  const WaitPolicy& wait_policy() const noexcept { return job_.wait_policy(); }

  std::shared_ptr<Inode> inode(const struct stat& file);
  bool is_open(const struct stat& file);

  // The cores that the calling thread may run on are those of the job's I/O threads too. By each rank that
  // opens a file: asking for the machine's cores here would only tell those of one rank, where ranks are
  // pinned.
  void share_cores();
  // How many these are, at least 1.
  int cores();

  // Runs `work`, which moves data and does not throw, on a thread of its own, unless the job is cancelled
  // before. The owner counts as waiting for something outside MPI (Rank::outside_events) until it has ended.
  void submit(Rank& owner, std::function<void()> work);
  // Waits for the work under way and drops what has not begun.
  void stop();

 private:
  using Key = std::pair<dev_t, ino_t>;
  struct Task {
    Rank* owner;
    std::function<void()> work;
  };

  void run();

  Job& job_;
  Mutex inodes_lock_;
  std::map<Key, std::weak_ptr<Inode>> inodes_ RANKLET_GUARDED_BY(inodes_lock_);

  Mutex tasks_lock_;
  std::condition_variable tasks_come_;
  std::deque<Task> tasks_ RANKLET_GUARDED_BY(tasks_lock_);
  std::vector<std::thread> threads_ RANKLET_GUARDED_BY(tasks_lock_);
  int idle_ RANKLET_GUARDED_BY(tasks_lock_) = 0;
  cpu_set_t cores_ RANKLET_GUARDED_BY(tasks_lock_){};
  bool stopping_ RANKLET_GUARDED_BY(tasks_lock_) = false;
};

// Gives the job its JobFiles, and ends them before any rank's state goes. The last of a job's extensions.
Extension extension() noexcept;

}  // namespace ranklet::io
