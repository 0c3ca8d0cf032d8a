// mpiexec --explore: runs the job once for each way in which its messages can match (explore/search.hpp).
#pragma once

#include <functional>

#include "base/config.hpp"
#include "explore/search.hpp"
#include "launch/supervisor.hpp"

namespace ranklet::launch {

// start: the host process of one run of so many ranks. Each run reads an empty standard input; what it writes
// is shown if it fails, or if runs differ. Prints the findings to standard output. Returns 0 if no run fails,
// else 1; 128 + the signal that ended it all.
int explore(const ProcessStart& start, const Config& config, int ranks);

// The same without a word: the search, and its runs, before and after each of which these are called. Returns
// the signal that ended it all, or 0.
Search search_of(const Config& config, int ranks);
int explore_runs(const ProcessStart& start, const Config& config, Search& search, RunResults& results,
                 const std::function<void(Supervisor&, ProcessStart&)>& before_run = {},
                 const std::function<void()>& after_run = {});

}  // namespace ranklet::launch
