// A job of programs that do not use MPI: a process for each rank, with the same treatment of input, output,
// exit codes and signals as ranks get. MPI programs that these start hand themselves over (desk.hpp).
#pragma once

#include "base/config.hpp"
#include "launch/job_description.hpp"

namespace ranklet::launch {

// Returns mpiexec's exit code; of a job that a rank has started 0, as its host says how it has ended. Throws
// Error when a program cannot be started.
int run_processes(const JobDescription& job, const Config& config);

}  // namespace ranklet::launch
