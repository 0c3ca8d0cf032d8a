// What a rank has called: for reports of runs (ranklet::run).
#pragma once

#include "api/entry/call.hpp"

namespace ranklet::api {

// The values are read when the rank's threads have ended.
struct CallTally final : CallObserver {
  memmodel::Counter<> calls;
  // Of calls that name a destination other than MPI_PROC_NULL and have not failed.
  memmodel::Counter<> messages;
  memmodel::Counter<> bytes;

  void enter(const Call&, bool needs_mpi) override
  {
    if (needs_mpi) calls.take();
  }
  void leave(const Call& call, bool success) noexcept override;
};

}  // namespace ranklet::api
