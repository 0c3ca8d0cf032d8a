// What a rank asks of those who host it: programs that become the ranks of a new job (MPI 5.0 §11.8).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ranklet {

class Job;
class Rank;

struct ProgramToStart {
  std::string command;                 // as the user wrote it
  std::vector<std::string> arguments;  // without the command
  int ranks = 1;
  std::string directory;  // to run in; empty: the one who asks is there
  std::string
      search_path;  // directories with ':' between them, where commands without '/' are looked for first
};

struct JobToStart {
  Rank& spawner;
  std::vector<ProgramToStart> programs;
  // Called when the job is made, before its ranks run.
  std::function<void(Job&)> introduce;
};

// Returns when the ranks' threads run. On the thread of the rank that asks. Throws Error{spawn}; then nothing
// was started.
using StartPrograms = std::function<void(const JobToStart&)>;

}  // namespace ranklet
