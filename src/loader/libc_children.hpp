// Child processes of a rank: they get the rank's environment and its descriptors 0 to 2.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <map>
#include <mutex>

namespace ranklet::loader {

struct LibcState;

class Children {
 public:
  explicit Children(LibcState& state) : state_(state) {}
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  pid_t fork();
  int system(const char* command);
  std::FILE* popen(const char* command, const char* mode);
  int pclose(std::FILE* pipe);

  // Whether this is the child of a fork(): a process with one thread, in which exit() must end the process.
  bool in_child() const noexcept { return in_child_; }

 private:
  pid_t start_shell(const char* command, int replaced, int replacement);

  LibcState& state_;
  bool in_child_ = false;
  std::mutex mutex_;
  std::map<std::FILE*, pid_t> pipes_;
};

}  // namespace ranklet::loader
