// What stands for a process: one per rank. Defined in the loader, which makes the parts.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <condition_variable>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/guarded.hpp"
#include "process/thread_storage.hpp"

namespace ranklet::loader {

class Program;
class ImageState;  // image.hpp: the modules' addresses and dlopen'ed libraries
struct ExitState;  // exit.hpp: handlers to run at exit
struct LibcState;  // libc/libc_state.hpp: the C library's state
struct ThreadRecord;

// Where the rank keeps variables that libc keeps once per process. The program's own copy (made by a copy
// relocation) if it has one, else a slot of the process. All are valid once the Image exists; they start with
// the values that libc has at program start (the streams are libc's own, environ the rank's).
struct LibcVariables {
  std::FILE** in;    // stdin
  std::FILE** out;   // stdout
  std::FILE** err;   // stderr
  char*** environ_;  // environ, __environ, _environ are one variable
  char** optarg_;
  int* optind_;
  int* opterr_;
  int* optopt_;
  char** invocation_name;        // program_invocation_name, __progname_full
  char** invocation_short_name;  // program_invocation_short_name, __progname
  char** zone_names;             // tzname[2], __tzname
  long* zone_offset;             // timezone, __timezone
  int* zone_has_summer;          // daylight, __daylight
};

// What the host does at the events of a rank's life. Called on the thread where the event happens.
class Host {
 public:
  virtual ~Host() = default;
  // The image is mapped and the variables have their places; no code of the program has run.
  virtual void image_ready(ProcessState&) {}
  // A thread that the program made (pthread_create, std::thread, OpenMP) begins or ends. The rank's main
  // thread is the host's own and not reported.
  virtual void thread_starts(ProcessState&) {}
  virtual void thread_ends(ProcessState&) {}
  // The rank's exit handlers have run; the last moment to flush its streams. Called once per rank.
  virtual void process_exits(ProcessState&, int /*code*/) {}
  // exit() was called on a thread of the rank that is not its main one. The rank is over, but Image::run()
  // will not return; the calling thread sleeps for ever after this.
  virtual void exited_on_other_thread(ProcessState&, int code) = 0;
  // _exit, _Exit or quick_exit: the whole job ends with this code.
  [[noreturn]] virtual void end_job(ProcessState&, int code) = 0;
};

struct ProcessState {
  // seat: in the job's input and output; -1: as the rank.
  ProcessState(int rank_in_job, Host& host_of_job, int seat_in_host = -1);
  ~ProcessState();
  ProcessState(const ProcessState&) = delete;
  ProcessState& operator=(const ProcessState&) = delete;

  const int rank;
  const int seat;
  Host& host;
  std::string name;  // for messages: "rank 3", or what the host makes of it
  Program* program = nullptr;
  LibcVariables variables{};
  std::vector<std::string> arguments;
  std::shared_ptr<LibcState> libc;  // made by the host in image_ready()

  std::unique_ptr<ImageState> image;
  std::unique_ptr<ExitState> exit;

  Mutex threads_mutex;
  std::vector<ThreadRecord*> threads RANKLET_GUARDED_BY(threads_mutex);  // of the rank, the main one included
  int starting_threads RANKLET_GUARDED_BY(threads_mutex) = 0;            // created, not yet in the list
  std::condition_variable thread_ended;
  std::vector<pthread_key_t> keys
      RANKLET_GUARDED_BY(threads_mutex);  // of thread-specific data, of the program

  // Blocks the main thread until it is the rank's last.
  void wait_for_other_threads();
  // In the child of a fork, which has the calling thread only.
  void continue_with_this_thread() RANKLET_UNCHECKED;
  // Programs and libraries of the rank that were overwritten while it ran. In a signal handler.
  void for_each_changed_file(void (*tell)(const char* path, void* to), void* to) const noexcept;
};

}  // namespace ranklet::loader
