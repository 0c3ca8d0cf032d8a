// The object whose error handler a failed call uses (MPI 5.0 §9.3).
#pragma once

#include <string>

#include "api/entry/call.hpp"

namespace ranklet::api {

struct ErrorTarget {
  Subject subject = Subject::none;
  std::uintptr_t handle = 0;  // what the user's function gets
  ErrhandlerPtr handler;      // null: the default, which ends the job
  // To be named in the report.
  Communicator* comm = nullptr;
  Window* window = nullptr;
};

ErrorTarget target_of(RankState& state, const Call& call, const Error& error, Communicator* blamed,
                      File* blamed_file);
// "communicator  MPI_COMM_WORLD, rank 1 of 4", or the same for a window; empty for other targets.
std::string subject_line(RankState& state, const ErrorTarget& target);

}  // namespace ranklet::api
