#include "ranks/team.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

#include <unistd.h>

namespace ranklet {

// The process's threads without work. Never destroyed, as teams may run until the very end of the process;
// the threads that have no work then are ended. A child of fork() has none of its parent's threads.
class Workers {
 public:
  // A thread that waits for its part in a team.
  struct Worker {
    Mutex mutex;
    std::condition_variable called;
    Team* team RANKLET_GUARDED_BY(mutex) = nullptr;  // null: none yet
    int index = 0;                                   // written before the team
    bool dismissed RANKLET_GUARDED_BY(mutex) = false;
    std::thread thread;
  };

  static Workers& of_process()
  {
    static Workers& workers = *[] {
      std::atexit([] { of_process().dismiss_idle(); });
      return new Workers;
    }();
    return workers;
  }

  std::vector<Worker*> take(int number)
  {
    std::vector<Worker*> taken;
    taken.reserve(static_cast<std::size_t>(number));
    const Holder guard(mutex_);
    if (process_ != ::getpid()) {
      idle_.clear();
      process_ = ::getpid();
    }
    while (static_cast<int>(taken.size()) < number && !idle_.empty()) {
      taken.push_back(idle_.back());
      idle_.pop_back();
    }
    try {
      while (static_cast<int>(taken.size()) < number) {
        auto worker = std::make_unique<Worker>();
        worker->thread = std::thread([this, self = worker.get()] { work(*self); });
        taken.push_back(worker.release());
      }
    } catch (...) {
      idle_.insert(idle_.end(), taken.begin(), taken.end());
      throw;
    }
    return taken;
  }

  static void call(Worker& worker, Team& team, int index)
  {
    // Notified under the lock: afterwards the worker may have been through with its part, and gone.
    const Holder guard(worker.mutex);
    worker.team = &team;
    worker.index = index;
    worker.called.notify_one();
  }

 private:
  // More than these are not kept.
  static constexpr std::size_t most_idle = 256;

  void work(Worker& self)
  {
    while (true) {
      Team* team = nullptr;
      {
        MutexHolder lock(self.mutex);
        while (!self.team && !self.dismissed) lock.wait(self.called);
        if (self.dismissed) return;
        team = std::exchange(self.team, nullptr);
      }
      team->body_(self.index);
      // Idle before the team's end is known: the next team finds this thread.
      bool kept = false;
      {
        const Holder guard(mutex_);
        kept = idle_.size() < most_idle;
        if (kept) idle_.push_back(&self);
      }
      team->member_ended();
      if (kept) continue;
      self.thread.detach();
      delete &self;
      return;
    }
  }

  void dismiss_idle()
  {
    std::vector<Worker*> idle;
    {
      const Holder guard(mutex_);
      if (process_ != ::getpid()) return;
      idle.swap(idle_);
    }
    for (Worker* const worker : idle) {
      {
        const Holder guard(worker->mutex);
        worker->dismissed = true;
      }
      worker->called.notify_one();
      worker->thread.join();
      delete worker;
    }
  }

  Mutex mutex_;
  std::vector<Worker*> idle_ RANKLET_GUARDED_BY(mutex_);
  pid_t process_ RANKLET_GUARDED_BY(mutex_) = ::getpid();
};

Team::Team(int size, std::function<void(int)> body) : body_(std::move(body)), running_(size)
{
  const std::vector<Workers::Worker*> workers = Workers::of_process().take(size);
  for (int i = 0; i < size; ++i) Workers::call(*workers[static_cast<std::size_t>(i)], *this, i);
}

Team::~Team()
{
  wait();
}

bool Team::wait_for(std::chrono::milliseconds longest)
{
  // The clock cannot count to the end of the longest durations.
  constexpr std::chrono::milliseconds for_ever = std::chrono::hours(24 * 365);
  const auto end = std::chrono::steady_clock::now() + std::min(longest, for_ever);
  MutexHolder lock(mutex_);
  while (running_ != 0)
    if (lock.wait_until(all_ended_, end) == std::cv_status::timeout) return running_ == 0;
  return true;
}

void Team::wait()
{
  MutexHolder lock(mutex_);
  while (running_ != 0) lock.wait(all_ended_);
}

void Team::member_ended()
{
  // The team may be gone once the lock is released.
  const Holder guard(mutex_);
  if (--running_ == 0) all_ended_.notify_all();
}

}  // namespace ranklet
