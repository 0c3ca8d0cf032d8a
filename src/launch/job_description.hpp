// What the supervisor (mpiexec) tells the host process: the programs. Settings travel as RANKLET_* variables.
#pragma once

#include <string>
#include <vector>

namespace ranklet::launch {

struct Program {
  std::string path;  // absolute
  int ranks = 1;
  std::vector<std::string> arguments;
  std::string directory;  // absolute
  std::vector<std::string> environment;
};

struct JobDescription {
  std::vector<Program> programs;
  int universe_size = 0;  // 0: what the machine has room for
  bool verbose = false;
  bool print_all_exit_codes = false;
  bool is_singleton = false;  // started without mpiexec (handover/singleton.hpp): one rank, like a process
  // Of a job whose programs are handed over by processes (launch/desk.hpp): the host's socket to mpiexec, and
  // the program of the first rank that comes. Of one that a rank has started: one end each has the host and
  // the starter (starter.hpp).
  int control = -1;
  std::string first_program;
  int world = 1;  // as people are told

  int size() const;
  // The index in `programs` of a rank: MPI_APPNUM. Ranks are numbered program by program.
  int program_of(int rank) const;
};

// Whether a rank's program, which a process hands over, is there. used: it has ended, and had called
// MPI_Init.
enum class Attendance { expected, runs, used };

// Writes it to a new anonymous file that a child inherits; returns the descriptor. Throws Error{no_mem}.
int write_description(const JobDescription& job);
// Reads it from its beginning, any number of times. Throws Error{intern} if it is damaged.
JobDescription read_description(int descriptor);

// The variables that programs read before MPI_Init to learn who they are: of Ranklet, MPICH (PMI_*), Open MPI
// (OMPI_COMM_WORLD_*), Intel MPI (MPI_LOCAL*), MVAPICH (MV2_*) and PMIx.
std::vector<std::string> rank_variables(const JobDescription& job, int rank);

// The environment of one rank: its program's, then rank_variables, which a singleton does not have.
std::vector<std::string> rank_environment(const JobDescription& job, int rank);
// The same for a program that inherits other variables.
std::vector<std::string> rank_environment(const JobDescription& job, int rank,
                                          const std::vector<std::string>& inherited);

// "app" of "/home/me/app": for messages and thread names.
std::string base_name(const std::string& path);

// The program of ranks that interpret (interpreters.hpp).
inline constexpr const char* interpreter_program = "ranklet-interpreter";
// The program's name for messages and threads: an interpreter's as the user knows it.
std::string shown_name(const Program& program);

// "rank 2 (app)"; without the name if all ranks run the same program. "rank 2 of world 3 (app)" of a job that
// was started by another one.
std::string rank_text(const JobDescription& job, int rank, int world = 1);

// "exited with code 3", "was killed by signal 9 (Killed)"
std::string exit_text(int code);
std::string signal_text(int signal);

}  // namespace ranklet::launch
