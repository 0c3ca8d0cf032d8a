// Those who want to know of a rank's calls: usage checks, counters, delays. A rank has none by default, and
// then pays nothing for them.
#pragma once

#include <string>

namespace ranklet {
class Communicator;
}

namespace ranklet::api {

class Call;

// Thread safety: any threads of the rank at once. Observers are added to RankState before MPI is started, and
// outlive the rank's last call.
class CallObserver {
 public:
  // A call starts. needs_mpi: its function may be called between MPI_Init and MPI_Finalize only, and MPI is
  // active; others may be called at any time (MPI 5.0 §11.2.1, §11.4.1).
  virtual void enter(const Call& call, bool needs_mpi) = 0;
  // It ends, without error or with one, also with an exception. In the reverse order of the observers.
  virtual void leave(const Call& call, bool success) noexcept = 0;
  // The call has failed without an object whose error handler would be called, and MPI_COMM_WORLD's serves.
  virtual void error_goes_to_world(const Call& /*call*/, const Error& /*error*/) noexcept {}
  // The call fails with a mismatch. Returns the rank that has told of it, "rank 3"; empty if that is not
  // known. blamed: the communicator that the error belongs to; null: that of the arguments.
  virtual std::string told_by(const Call& /*call*/, Communicator* /*blamed*/) noexcept { return {}; }
  // MPI_Finalize is about to meet the other processes of MPI_COMM_WORLD, its last collective there.
  virtual void world_closes() {}
  // The last instance of MPI (the world model's or a session's) is about to close.
  virtual void last_instance_closes() {}
  // The rank's program has ended with that code.
  virtual void program_ended(int /*exit_code*/) noexcept {}

 protected:
  ~CallObserver() = default;
};

}  // namespace ranklet::api
