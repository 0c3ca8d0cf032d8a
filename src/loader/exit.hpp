// How a rank ends: its handlers and destructors run as exit(3) says, the process stays.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <csetjmp>
#include <vector>

#include "base/guarded.hpp"

namespace ranklet::loader {

struct ProcessState;

struct ExitHandler {
  void (*with_object)(void*);       // __cxa_atexit
  void (*with_status)(int, void*);  // on_exit
  void* argument;
  void* object;  // the shared object's handle (__dso_handle)
};

struct ExitState {
  pid_t pid = 0;       // of the job: in a child that a rank forked, exit ends that child
  pthread_t main{};    // the thread that runs main
  std::jmp_buf frame;  // of Image::run
  int code = 0;
  bool may_return = false;  // frame is valid

  Mutex mutex;
  bool exiting RANKLET_GUARDED_BY(mutex) = false;
  pthread_t exiting_thread RANKLET_GUARDED_BY(mutex){};
  std::vector<ExitHandler> handlers RANKLET_GUARDED_BY(mutex);
  std::vector<ExitHandler> quick_handlers RANKLET_GUARDED_BY(mutex);
};

// exit(3) for the calling thread's rank.
[[noreturn]] void exit_process(ProcessState& process, int code);

class ImageState;

// Runs the termination functions of the rank's modules in the reverse order of their initialisation. A
// handler itself: it is registered between the libraries' initialisation and the program's, as ld.so's is, so
// that the program's handlers run before it and the libraries' handlers in it.
void run_terminators(ImageState& image);

// Runs and forgets the handlers that belong to a shared object (all if object is null), the last registered
// first.
void run_exit_handlers(ExitState& state, const void* object);

}  // namespace ranklet::loader
