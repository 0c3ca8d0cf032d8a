// What stands for a process, as the loader fills it: the rooms below see only its header.
#include "process/process.hpp"

#include <new>

#include "loader/exit.hpp"
#include "loader/image.hpp"
#include "process/thread_record.hpp"

namespace ranklet::loader {

ProcessState::ProcessState(int rank_in_job, Host& host_of_job, int seat_in_host)
    : rank(rank_in_job),
      seat(seat_in_host < 0 ? rank_in_job : seat_in_host),
      host(host_of_job),
      name("rank " + std::to_string(rank_in_job))
{
}

ProcessState::~ProcessState() = default;

void ProcessState::wait_for_other_threads()
{
  MutexHolder lock(threads_mutex);
  while (threads.size() > 1 || starting_threads > 0) lock.wait(thread_ended);
}

void ProcessState::continue_with_this_thread()
{
  new (&threads_mutex) Mutex;
  new (&thread_ended) std::condition_variable;
  if (ThreadRecord* record = host_thread().record) threads.assign(1, record);
  starting_threads = 0;
  if (image) new (&image->mutex) RecursiveMutex;
  if (exit) new (&exit->mutex) Mutex;
}

void ProcessState::for_each_changed_file(void (*tell)(const char* path, void* to), void* to) const noexcept
{
  if (image == nullptr) return;
  for (const LoadedModule& loaded : image->loaded)
    if (!loaded.unloaded && loaded.module->file().was_changed())
      tell(loaded.module->file().path().c_str(), to);
}

}  // namespace ranklet::loader
