// Standard input of a job whose ranks are processes, where all of them get it.
#pragma once

#include <vector>

#include "launch/supervisor.hpp"
#include "libc/input_copies.hpp"

namespace ranklet::launch {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe();  // closed on exec; throws Error{no_mem}
};

// Copies standard input to every rank (--stdin all), each at its own pace.
class InputPipes {
 public:
  InputPipes(Supervisor& supervisor, int readers);

  // The descriptor that the next rank shall read.
  int add_reader();

 private:
  // So much is kept while nobody waits for more. A rank that reads nothing must not hold up those that do.
  static constexpr std::size_t enough = std::size_t{1} << 20;

  void watch_input();
  bool read_more();
  bool write_more(std::size_t reader);
  bool finish(std::size_t reader);

  Supervisor& supervisor_;
  loader::InputCopies copies_;
  std::vector<int> descriptors_;  // by rank; complete before the supervisor runs
  bool watches_ = false;
  bool at_end_ = false;
};

}  // namespace ranklet::launch
