// How a host process runs a job: the ranks' programs lie in private images, the job in the MPI library that
// they share. ranklet-host calls this interface; the MPI library exports make_hosted_job (src/api), where all
// layers' extensions are known. The host itself contains no code of the layers and no thread_local variable.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "machine/place.hpp"
#include "machine/wait_policy.hpp"
#include "ranks/findings.hpp"
#include "ranks/start_programs.hpp"
#include "terms/info.hpp"

namespace ranklet {

class HostedJob;

struct HostedJobOptions {
  int size = 1;
  WaitPolicy wait;
  std::size_t eager_limit = 16384, unexpected_limit = std::size_t{1} << 30;  // see JobOptions
  int universe_size = 1;         // MPI_UNIVERSE_SIZE: the ranks that this machine has room for
  std::vector<int> app_numbers;  // MPI_APPNUM of each rank: the number of its program on mpiexec's line
  std::vector<Info> programs;    // how each program was started: what MPI_INFO_ENV holds
  std::function<std::vector<Place>()> places;  // see JobOptions

  std::function<int(int)> live_threads, sleeping_threads;  // see JobOptions
  bool reports_deadlocks = true;
  bool checks = false;                                    // the usage checks
  std::function<void(const check::Finding&)> on_finding;  // what they find; on any thread

  // MPI_Abort, a fatal error, or ranks that wait for one that has left: prints the reason and ends the
  // process. Called on the thread of the rank that ends the job; `rank` is the one to blame, -1 if none is.
  std::function<void(int rank, int code, const std::string& why)> on_abort;

  // For MPI_Comm_spawn: makes a job like this one, of which the next members tell. See JobOptions.
  StartPrograms start_programs;
  const JobToStart* started_by = nullptr;  // null: mpiexec has started it
  int world = 1;
  // For a job that no rank has started: another one, whose universe it joins. Null: it has one of its own.
  HostedJob* beside = nullptr;
  bool takes_in_jobs = false;  // whether such jobs may come
};

class HostedJob {
 public:
  virtual ~HostedJob() = default;

  // The calling thread belongs to this rank from now on; -1: to none. Called for a rank's main thread before
  // its image is loaded and for each thread that its program makes.
  virtual void bind_thread(int rank) noexcept = 0;

  // The rank's program has ended with this code (main returned or exit was called). If MPI is still active
  // there, the ranks that wait for it end the job through on_abort.
  virtual void rank_ended(int rank, int exit_code) noexcept = 0;

  // All its ranks' programs have ended: what of theirs others can reach by name goes. May be called again.
  virtual void programs_ended() = 0;

  // The rank's program is about to end the job, on the rank's thread. Returns at once, but in an exploration
  // when nothing else can happen.
  virtual void rank_fails(int rank) noexcept = 0;

  // Its ranks have CPUs of their own from now on, and wait so. From any thread.
  virtual void wait_by(const WaitPolicy& policy) noexcept = 0;

  // Whether the rank is between MPI_Init and MPI_Finalize, for messages about its end.
  virtual bool mpi_active(int rank) const noexcept = 0;

  // Whether it has called MPI_Init or made a session, or has ended.
  virtual bool mpi_started(int rank) const noexcept = 0;

  // What each rank of all worlds does at the moment, for people: lines that begin with its number.
  virtual std::string state() = 0;

  // Of a job whose programs have ended: no rank of another one can reach it any more.
  virtual bool is_forgotten() const noexcept = 0;

  // How many ranks MPI_UNIVERSE_SIZE tells of.
  virtual int universe_size() const noexcept = 0;
};

// What the library itself stores into files' mappings may fault. With the third argument of the handler of
// SIGBUS: true, if it was that, and the handler is to return. Async-signal-safe.
[[gnu::visibility("default")]] bool recover_from_bus_error(void* context) noexcept;

// Defined in the MPI library. The process has a handler of SIGBUS that asks recover_from_bus_error() before
// all else. Throws Error.
[[gnu::visibility("default")]] std::unique_ptr<HostedJob> make_hosted_job(HostedJobOptions options);

}  // namespace ranklet
