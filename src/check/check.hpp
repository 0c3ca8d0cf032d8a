// The front header of the usage checks' parts that need no handles; api/ asks them
// (api/usage/rank_checks.hpp).
#pragma once

#include "check/accesses.hpp"
#include "check/clocks.hpp"
#include "check/collectives.hpp"
#include "check/file_accesses.hpp"
#include "check/orders.hpp"
#include "check/pending_buffers.hpp"
#include "check/promises.hpp"

namespace ranklet::check {

// What a job's ranks keep together.
class JobChecks {
 public:
  Collectives collectives;
  Clocks clocks;
  Token everything;  // between all that may meet in ways that are not followed
  Accesses accesses{clocks};
  Promises promises;
  FileAccesses file_accesses;
};

}  // namespace ranklet::check
