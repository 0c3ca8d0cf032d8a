// The description of a job that a rank asks for (MPI_Comm_spawn).
#pragma once

#include "launch/job_description.hpp"
#include "ranks/start_programs.hpp"

namespace ranklet::launch {

// On the thread of the rank that asks: it starts where that is, and with its environment, which is a
// null-terminated array. universe_size: for the new ranks. Throws Error that says which program cannot be
// started, and why.
JobDescription describe(const JobToStart& job, char* const* environment, int universe_size);

}  // namespace ranklet::launch
