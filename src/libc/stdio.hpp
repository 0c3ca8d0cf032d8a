// A rank's stdin, stdout and stderr: FILEs whose bytes go through its descriptors 0 to 2.
#pragma once

#include <array>
#include <cstdio>

#include "libc/patience.hpp"

namespace ranklet::loader {

class Descriptors;
struct LibcVariables;

// stdout is line-buffered wherever it goes (a process's would be so on a terminal only): lines of different
// ranks then appear in the order in which they were printed. The program may change that with setvbuf.
// fileno() gives 0, 1, 2.
class Stdio {
 public:
  Stdio(Descriptors& descriptors, const LibcVariables& variables);
  ~Stdio();
  Stdio(const Stdio&) = delete;
  Stdio& operator=(const Stdio&) = delete;

  // What the program's variables name just now.
  std::FILE* in() const noexcept { return *in_; }
  std::FILE* out() const noexcept { return *out_; }
  std::FILE* err() const noexcept { return *err_; }

  // 0 to 2 if the file is one of the three that the rank began with, else -1.
  int descriptor_of(const std::FILE* file) const noexcept;

  // A further FILE on a descriptor that leads to the rank's streams, like fdopen(3).
  std::FILE* open(int descriptor, const char* mode);

  void flush();
  // For use after a crash: leaves out a FILE that another thread is using.
  void try_flush(Patience& patience) noexcept;

 private:
  Descriptors& descriptors_;
  std::FILE** in_;
  std::FILE** out_;
  std::FILE** err_;
  std::array<std::FILE*, 3> files_;
};

}  // namespace ranklet::loader
