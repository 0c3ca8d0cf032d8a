// Ranks on threads of a test, with a communicator of all of them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "support/ranks.hpp"

namespace ranklet::test {

// Whether MPI is active in a rank as long as its body runs, as between MPI_Init and MPI_Finalize, or never.
enum class Initialized { yes, no };

// Runs body(world) on each rank, with a communicator over all that no extension has made.
inline void run_members(Job& job, ThreadLevel level, Initialized initialized,
                        const std::function<void(Communicator&)>& body)
{
  std::vector<Rank*> members;
  for (int i = 0; i < job.size(); ++i) members.push_back(&job.rank(i));
  const auto shared = std::make_shared<CommShared>(job, std::make_shared<Group>(members));
  run_ranks(job, [&](Rank& rank) {
    rank.set_thread_level(level);
    if (initialized == Initialized::yes) job.set_phase(rank, Phase::active);
    Communicator world(rank, shared);
    body(world);
    if (initialized == Initialized::yes) job.set_phase(rank, Phase::finalized);
  });
}

}  // namespace ranklet::test
