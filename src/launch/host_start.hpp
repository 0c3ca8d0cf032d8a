// How mpiexec starts the process of the ranks.
#pragma once

#include "base/config.hpp"
#include "launch/job_description.hpp"
#include "launch/supervisor.hpp"

namespace ranklet::launch {

// Of the host, whose argument is the description's descriptor. Throws Error if the programs cannot be in one
// process.
ProcessStart host_start(const JobDescription& job, const Config& config, int description);

}  // namespace ranklet::launch
