// One standard input for several runs.
#pragma once

#include <cstddef>
#include <string>

#include <sys/types.h>

#include "launch/supervisor.hpp"

namespace ranklet::launch {

// A file is opened again for each run. Of a pipe or terminal the first run reads as it comes, and the others
// what had come by its end.
class RepeatedInput {
 public:
  RepeatedInput();
  ~RepeatedInput();
  RepeatedInput(const RepeatedInput&) = delete;
  RepeatedInput& operator=(const RepeatedInput&) = delete;

  // The descriptor that the next run, which this supervisor watches, is to read; it stays this object's.
  // Throws Error{no_mem}.
  int next(Supervisor& supervisor);

 private:
  int open_file() const;
  int open_pipe(Supervisor& supervisor);
  bool read_more(Supervisor& supervisor);
  bool write_more();
  void close_pipe();

  bool is_file_ = false;
  off_t offset_ = 0;  // in the file
  int current_ = -1;  // what the last run has read
  int pipe_ = -1;     // to the first run
  bool begun_ = false;
  bool at_end_ = false;
  std::string text_;  // what has come, and how much of it went to the first run
  std::size_t written_ = 0;
};

}  // namespace ranklet::launch
