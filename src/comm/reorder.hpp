// From the mapping of a topology's nodes to members to the communicator (MPI 5.0 §8.2).
#pragma once

#include <memory>
#include <numeric>

#include "comm/confer.hpp"
#include "comm/create.hpp"
#include "comm/mapping.hpp"

namespace ranklet::comm {

// Whether it is known where the members run, so that `reorder` may do something; the same at all of them.
inline bool knows_places(const Communicator& comm)
{
  return !comm.is_inter() && !comm.self().job.places().empty();
}

// Which member of the communicator shall be which node.
inline std::vector<int> map_members(const Communicator& comm, const Traffic& traffic)
{
  std::vector<Place> places;
  if (knows_places(comm))
    for (Rank* member : comm.group()->members())
      places.push_back(member->job.places()[static_cast<std::size_t>(member->world_rank)]);
  else
    places.resize(static_cast<std::size_t>(comm.size()));
  return map_nodes(traffic, places);
}

// A communicator of those members in that order; null at the others.
inline CommRef create_of(Communicator& parent, std::span<const int> members)
{
  return create(parent, include(*parent.group(), members));
}

// A communicator for `nodes` nodes; traffic() is asked for at one member, which all others wait for.
template <class MakeTraffic>
CommRef create_mapped(Communicator& parent, int nodes, bool reorder, MakeTraffic&& traffic)
{
  if (!reorder || !knows_places(parent)) {
    std::vector<int> members(static_cast<std::size_t>(nodes));
    std::iota(members.begin(), members.end(), 0);
    return create_of(parent, members);
  }
  using Members = std::shared_ptr<const std::vector<int>>;
  const auto members = confer<Members>(parent, nodes, [&](std::span<const int* const> all) {
    return std::vector<Members>(all.size(),
                                std::make_shared<const std::vector<int>>(map_members(parent, traffic())));
  });
  return create_of(parent, *members);
}

}  // namespace ranklet::comm
