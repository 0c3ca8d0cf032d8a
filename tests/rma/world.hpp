// Ranks with one communicator over all of them, for the tests of this folder.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/sanitized.hpp"
#include "rma/rma.hpp"

namespace ranklet::test {

inline constexpr int rounds = sanitized ? 200 : 2000;

inline void on_ranks(int n, const std::function<void(Communicator&)>& body,
                     ThreadLevel level = ThreadLevel::single)
{
  JobOptions options;
  options.wait = WaitPolicy::automatic(n, 2);
  Job job(n, options);
  std::vector<Rank*> members;
  for (int i = 0; i < n; ++i) members.push_back(&job.rank(i));
  const auto shared = std::make_shared<CommShared>(job, std::make_shared<Group>(members));
  job.run([&](Rank& rank) {
    rank.set_thread_level(level);
    job.set_phase(rank, Phase::active);
    Communicator world(rank, shared);
    body(world);
    job.set_phase(rank, Phase::finalized);
  });
}

}  // namespace ranklet::test
