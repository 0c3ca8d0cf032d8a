// A thread of a rank.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace ranklet::loader {

struct ProcessState;

struct ThreadLocalDestructor {
  void (*function)(void*);
  void* object;
};

struct ThreadRecord {
  std::byte* pointer = nullptr;  // the thread pointer
  pthread_t thread{};
  pid_t id = 0;  // the kernel's number
  class ThreadBlocks* blocks = nullptr;
  ProcessState* process = nullptr;
  bool is_main = false;
  const void* handler_frame = nullptr;  // of the dispatcher, while it runs a signal handler
  std::vector<ThreadLocalDestructor> destructors;  // of thread_local objects; touched by this thread only
};

// Runs the calling thread's destructors, the last registered first, and those they register.
void run_thread_local_destructors(ThreadRecord& record);

}  // namespace ranklet::loader
