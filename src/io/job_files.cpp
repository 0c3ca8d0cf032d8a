#include "io/job_files.hpp"

#include <algorithm>
#include <system_error>

#include "base/signal_mask.hpp"

namespace ranklet::io {

std::shared_ptr<Inode> JobFiles::inode(const struct stat& file)
{
  const Holder guard(inodes_lock_);
  std::erase_if(inodes_, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<Inode>& place = inodes_[{file.st_dev, file.st_ino}];
  std::shared_ptr<Inode> found = place.lock();
  if (!found) place = found = std::make_shared<Inode>();
  return found;
}

bool JobFiles::is_open(const struct stat& file)
{
  const Holder guard(inodes_lock_);
  const auto found = inodes_.find({file.st_dev, file.st_ino});
  return found != inodes_.end() && !found->second.expired();
}

void JobFiles::submit(Rank& owner, std::function<void()> work)
{
  owner.outside_events.add(1);
  bool here = false;
  {
    const Holder guard(tasks_lock_);
    tasks_.push_back({&owner, std::move(work)});
    const auto most = static_cast<std::size_t>(std::clamp(CPU_COUNT(&cores_), 1, 4));
    if (idle_ < static_cast<int>(tasks_.size()) && threads_.size() < most) {
      // Signals are the ranks' own matter.
      const SignalsBlocked blocked;
      try {
        threads_.emplace_back([this] { run(); });
      } catch (const std::system_error&) {
        here = threads_.empty();
      }
    }
    if (here) {
      work = std::move(tasks_.back().work);
      tasks_.pop_back();
    }
  }
  if (!here) {
    tasks_come_.notify_one();
    return;
  }
  // No thread is to be had.
  work();
  owner.outside_events.add(-1);
}

void JobFiles::stop()
{
  std::vector<std::thread> threads;
  {
    const Holder guard(tasks_lock_);
    stopping_ = true;
    tasks_.clear();
    threads.swap(threads_);
  }
  tasks_come_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void JobFiles::share_cores()
{
  cpu_set_t mine;
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return;
  const Holder guard(tasks_lock_);
  CPU_OR(&cores_, &cores_, &mine);
}

int JobFiles::cores()
{
  const Holder guard(tasks_lock_);
  return std::max(CPU_COUNT(&cores_), 1);
}

void JobFiles::run()
{
  MutexHolder lock(tasks_lock_);
  // The thread that has made this one may be pinned to a core where its rank computes.
  if (CPU_COUNT(&cores_) > 0) ::sched_setaffinity(0, sizeof cores_, &cores_);
  for (;;) {
    ++idle_;
    while (!stopping_ && tasks_.empty()) lock.wait(tasks_come_);
    --idle_;
    if (stopping_) return;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    // While data is moved from and to its buffers no rank of a cancelled job may go (Job::enter).
    job_.enter(*task.owner);
    if (!job_.cancelled()) task.work();
    Job::leave_mpi();
    task.owner->outside_events.add(-1);
    lock.lock();
  }
}

namespace {

void create_files(Rank& rank)
{
  if (!rank.job.files) rank.job.files = std::make_shared<JobFiles>(rank.job);
}

void destroy_files(Rank& rank) noexcept
{
  // A job that another one has started has that one's.
  if (rank.job.files && !rank.job.options().spawner) rank.job.files->stop();
}

}  // namespace

Extension extension() noexcept
{
  return {&create_files, &destroy_files};
}

}  // namespace ranklet::io
