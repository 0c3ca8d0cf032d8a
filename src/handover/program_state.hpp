// What a process was about to run, and with what: all that the host needs to run it as a rank instead.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace ranklet::handover {

struct ProgramState {
  std::string path;
  std::vector<std::string> arguments, environment;
  mode_t mask = 022;  // umask(2)
  int nice = 0;
  std::vector<unsigned long> cpus;  // as sched_setaffinity(2) takes them
  // As set_mempolicy(2) takes them; mode 0: the default.
  int memory_mode = 0;
  std::vector<unsigned long> memory_nodes;
  std::array<rlimit, RLIM_NLIMITS> limits{};
  std::vector<int> numbers;  // of the open descriptors, in the order in which they are sent

  // Of the calling process. Descriptors that are closed when a program is executed are not counted, so call
  // it before any other is opened.
  static ProgramState of_this_process(int argument_count, char** arguments, char** environment);

  std::string bytes() const;
  static ProgramState from(const std::string& bytes);  // throws Error{intern}

  // Gives the calling thread what is a thread's: CPUs, memory policy, niceness. The CPUs only where they are
  // not those of the process that asks, `own_cpus`.
  void adopt_on_this_thread(const std::vector<unsigned long>& own_cpus) const;
  // Raises the process's limits where these are higher: open files, core files, locked memory.
  void raise_limits() const;
};

// Of the calling process's program.
std::string own_path();
// Of the calling thread.
std::vector<unsigned long> allowed_cpus();

}  // namespace ranklet::handover
