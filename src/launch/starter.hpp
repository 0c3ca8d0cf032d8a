// The process that starts and watches the programs of a world which MPI_Comm_spawn has started, where they
// are scripts: what mpiexec is to those of the first world.
#pragma once

#include <vector>

#include <sys/types.h>

#include "launch/job_description.hpp"

namespace ranklet::launch {

// The host's first argument in that process; the second one is the descriptor of a description.
inline constexpr const char* starter_word = "--starter";

// Starts it, on the cores, where the calling thread is. The job's control becomes the host's end of the
// socket to it. Throws Error{no_mem}.
pid_t start_starter(JobDescription& job, const std::vector<unsigned long>& cpus);

// Is it. Returns when the programs have ended.
void run_starter(const JobDescription& job);

}  // namespace ranklet::launch
