// mpiexec --check=all: runs the job in all ways in which its mistakes can show, and tells each once.
#pragma once

#include "base/config.hpp"
#include "launch/supervisor.hpp"

namespace ranklet::launch {

// start: the host process of one run of so many ranks. The first run has mpiexec's own streams; the others
// read the same input, and what they write is shown if they fail. Prints the findings to standard error.
// Returns the first run's code if it is not 0, else 1 if anything but advice was found; 128 + the signal that
// ended it all.
int check_all(const ProcessStart& start, const Config& config, int ranks);

}  // namespace ranklet::launch
