// Runs a test's body on ranks that have communicators.
#pragma once

#include <functional>
#include <utility>

#include "comm/comm.hpp"
#include "support/ranks.hpp"

namespace ranklet::test {

// body(rank, world) on each of n ranks, by the policy for two cores, so that tests of many ranks also cover
// yielding and sleeping. `places`: where they run, as far as they know; cores: how many they believe to have.
inline void run(int n, const std::function<void(Rank&, Communicator&)>& body, std::vector<Place> places = {},
                int cores = 2)
{
  JobOptions options;
  options.wait = WaitPolicy::automatic(n, cores);
  if (!places.empty()) options.places = [places] { return places; };
  options.extensions = {comm::extension()};
  Job job(n, std::move(options));
  run_ranks(job, [&](Rank& rank) { body(rank, comm::world(rank)); });
}

// As a handle's owner frees a communicator.
inline void free(CommRef& comm)
{
  comm::prepare_to_free(*comm);
  comm = {};
}

}  // namespace ranklet::test
