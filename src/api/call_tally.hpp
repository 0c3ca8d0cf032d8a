// What a rank has called: for reports of runs (ranklet::run).
#pragma once

#include "api/call.hpp"

namespace ranklet::api {

// Thread safety: note() by any thread of the rank; the values when they have ended.
struct CallTally {
  memmodel::Counter<> calls;
  // Of calls that name a destination other than MPI_PROC_NULL and have not failed.
  memmodel::Counter<> messages;
  memmodel::Counter<> bytes;

  // At the start of a call.
  void note_start() noexcept { calls.take(); }
  // At its end.
  void note_success(RankState& state, const Call& call) noexcept;
};

}  // namespace ranklet::api
