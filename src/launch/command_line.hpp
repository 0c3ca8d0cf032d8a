// What mpiexec was asked to do: its command line, in its own spelling and in those of MPICH and Open MPI.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.hpp"

namespace ranklet::launch {

// One program of the job: what stands between two ':' of the line.
struct ProgramRequest {
  int ranks = 0;                         // 0: not said
  std::vector<std::string> arguments;    // [0] is the program as the user wrote it
  std::string directory;                 // -wdir; empty: the current one
  std::string search_path;               // -path; empty: $PATH
  std::vector<std::string> environment;  // complete, "NAME=value"
};

struct CommandLine {
  enum class Action { run, help, help_options, version };
  Action action = Action::run;
  std::vector<ProgramRequest> programs;
  std::map<const ConfigOption*, std::string> settings;  // what stands on the line overrides the variables
  bool verbose = false;
  bool quiet = false;
  bool print_all_exit_codes = false;
  int universe_size = 0;           // -usize; 0: not said
  std::vector<std::string> notes;  // what the user should know about options that were ignored
};

// `arguments` without mpiexec's own name; `environment` is what programs inherit. Single and double hyphens
// mean the same, "--name=value" too. Throws Error{arg} with a hint for what it does not know,
// Error{no_such_file} for a config file that cannot be read.
CommandLine parse_command_line(const std::vector<std::string>& arguments, const char* const* environment);

// The lines of a -configfile as the arguments of one command line, joined by ':' (MPI 5.0 §11.5).
std::vector<std::string> read_config_file(const std::string& path);

// The texts of --help and --version.
std::string help_text();
std::string version_text();

}  // namespace ranklet::launch
