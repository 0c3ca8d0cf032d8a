// What jobs of one process have in common that can reach each other, as ranks of one have started the other
// (MPI 5.0 §11.8): one space of context ids, and one watch over who waits for whom.
#pragma once

#include "ranks/context_ids.hpp"
#include "ranks/deadlock.hpp"

namespace ranklet {

struct Universe {
  ContextIds context_ids;
  DeadlockWatch deadlocks;
  // Whether jobs may come to it that none of its ranks has started. Set before they run.
  bool takes_in_jobs = false;
};

}  // namespace ranklet
