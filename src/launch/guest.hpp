// A job that runs in the host of another one's mpiexec (launch/universe_door.hpp), and the process that stands
// for it where its own mpiexec has started its host.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "launch/job_description.hpp"

namespace ranklet::launch {

struct GuestJob {
  JobDescription description;
  std::vector<std::string> settings;  // the RANKLET_* variables of its mpiexec
  mode_t mask = 022;                  // umask(2)
  std::array<int, 3> standard = {-1, -1, -1};
};

// At the host: what the process at the other end sends first, within some seconds. Throws Error{intern}.
GuestJob receive_job(int socket);

// In that process: sends the job in this file (write_description), passes signals on and says what the host
// tells it. Returns the job's exit code; none if the host has ended without taking the job.
std::optional<int> stand_for_job(int description, int host);

}  // namespace ranklet::launch
