// Threads that a program makes belong to the rank of the thread that made them.
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <condition_variable>
#include <memory>
#include <vector>

#include "loader/exit.hpp"
#include "loader/image.hpp"
#include "process/override.hpp"
#include "process/process.hpp"
#include "process/thread_record.hpp"

namespace ranklet::loader {
namespace {

using StartRoutine = void* (*)(void*);

struct ThreadStart {
  StartRoutine function;
  void* argument;
  ProcessState* process;
};

// A thread counts from the moment it is asked for: pthread_exit in main waits for it even if it has not
// begun.
void count_starting(ProcessState& process, int change)
{
  const Holder lock(process.threads_mutex);
  process.starting_threads += change;
}

// In the new thread, around the program's function. The destructor runs at pthread_exit and cancellation as
// well.
class ThreadOfRank {
 public:
  explicit ThreadOfRank(ProcessState& process) : process_(process)
  {
    enter_process(process, record_);
    count_starting(process, -1);
    process.host.thread_starts(process);
  }
  ~ThreadOfRank()
  {
    run_thread_local_destructors(record_);
    process_.host.thread_ends(process_);
    leave_process();
  }
  ThreadOfRank(const ThreadOfRank&) = delete;
  ThreadOfRank& operator=(const ThreadOfRank&) = delete;

 private:
  ProcessState& process_;
  ThreadRecord record_;
};

void* run_thread(void* start_object)
{
  const ThreadStart start = *static_cast<ThreadStart*>(start_object);
  delete static_cast<ThreadStart*>(start_object);
  const ThreadOfRank thread(*start.process);
  return start.function(start.argument);
}

// The reserve of thread-local storage is cut from the stack: a program that asks for a small one must still
// get what it would have in a process of its own. Unchanged if the program brings its own memory.
bool enlarge_stack(const pthread_attr_t* wanted, pthread_attr_t& enlarged)
{
  std::size_t size = 0;
  void* memory = nullptr;
  std::size_t memory_size = 0;
  if (!wanted || pthread_attr_getstacksize(wanted, &size) != 0) return false;
  if (pthread_attr_getstack(wanted, &memory, &memory_size) == 0 && memory != nullptr &&
      reinterpret_cast<std::uintptr_t>(memory) + memory_size != 0)
    return false;
  enlarged = *wanted;  // shares what the original points to, for the time of one call
  return pthread_attr_setstacksize(&enlarged, size + static_cast<std::size_t>(host_block_size)) == 0;
}

int rank_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, StartRoutine function,
                        void* argument)
{
  ProcessState* process = current_process();
  if (!process) return pthread_create(thread, attributes, function, argument);
  std::unique_ptr<ThreadStart> start(new (std::nothrow) ThreadStart{function, argument, process});
  if (!start) return EAGAIN;
  pthread_attr_t enlarged;
  const bool larger = enlarge_stack(attributes, enlarged);
  count_starting(*process, 1);
  const int result = pthread_create(thread, larger ? &enlarged : attributes, run_thread, start.get());
  if (result == 0)
    static_cast<void>(start.release());
  else
    count_starting(*process, -1);
  return result;
}

// The end of a process's main thread does not end the process: it ends with its last thread, successfully.
[[noreturn]] void rank_pthread_exit(void* result)
{
  ProcessState* process = current_process();
  if (process && host_thread().record->is_main) {
    run_thread_local_destructors(*host_thread().record);
    process->wait_for_other_threads();
    exit_process(*process, 0);
  }
  pthread_exit(result);
}

// What a program has made of these ends with its rank. thread.h's functions use the same keys (glibc's
// tss_t).
int rank_pthread_key_create(pthread_key_t* key, void (*destructor)(void*))
{
  const int result = pthread_key_create(key, destructor);
  ProcessState* process = current_process();
  if (result != 0 || !process) return result;
  const Holder lock(process->threads_mutex);
  process->keys.push_back(*key);
  return 0;
}

int rank_pthread_key_delete(pthread_key_t key)
{
  if (ProcessState* process = current_process()) {
    const Holder lock(process->threads_mutex);
    std::erase(process->keys, key);
  }
  return pthread_key_delete(key);
}

int rank_tss_create(tss_t* key, tss_dtor_t destructor)
{
  return rank_pthread_key_create(key, destructor) == 0 ? thrd_success : thrd_error;
}

void rank_tss_delete(tss_t key)
{
  rank_pthread_key_delete(key);
}

struct StandardThread {
  thrd_start_t function;
  void* argument;
};

void* run_standard_thread(void* start_object)
{
  const StandardThread start = *static_cast<StandardThread*>(start_object);
  delete static_cast<StandardThread*>(start_object);
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(start.function(start.argument)));
}

// glibc's thrd_t is a pthread_t, and thrd_join reads the result as pthread_join does.
int rank_thrd_create(thrd_t* thread, thrd_start_t function, void* argument)
{
  std::unique_ptr<StandardThread> start(new (std::nothrow) StandardThread{function, argument});
  if (!start) return thrd_nomem;
  const int result = rank_pthread_create(thread, nullptr, run_standard_thread, start.get());
  if (result == 0) static_cast<void>(start.release());
  return result == 0 ? thrd_success : result == ENOMEM ? thrd_nomem : thrd_error;
}

[[noreturn]] void rank_thrd_exit(int result)
{
  rank_pthread_exit(reinterpret_cast<void*>(static_cast<std::intptr_t>(result)));
}

}  // namespace

std::span<const Override> thread_overrides()
{
  static const Override table[] = {
      override_with("pthread_create", rank_pthread_create),
      override_with("pthread_exit", rank_pthread_exit),
      override_with("pthread_key_create", rank_pthread_key_create),
      override_with("pthread_key_delete", rank_pthread_key_delete),
      override_with("thrd_create", rank_thrd_create),
      override_with("thrd_exit", rank_thrd_exit),
      override_with("tss_create", rank_tss_create),
      override_with("tss_delete", rank_tss_delete),
  };
  return table;
}

}  // namespace ranklet::loader
