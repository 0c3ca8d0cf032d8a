#include "coll/neighborhood.hpp"

#include <algorithm>

#include "terms/error.hpp"

namespace ranklet::coll {

const comm::Topology& neighborhood(const Communicator& comm)
{
  if (!comm.topology) fail(ErrorClass::topology, "the communicator has no topology");
  return *comm.topology;
}

bool may_be_read(const Blocks& blocks, const comm::Topology& mine)
{
  return blocks.are_equal() || std::count(mine.destinations.begin(), mine.destinations.end(), proc_null) == 0;
}

int matching_block(const comm::Topology& mine, int i, const comm::Topology& source, int me)
{
  if (mine.kind == comm::TopologyKind::cartesian) return i ^ 1;
  const auto at = static_cast<std::size_t>(i);
  const auto earlier = std::count(mine.sources.begin(), mine.sources.begin() + i, mine.sources[at]);
  std::ptrdiff_t seen = 0;
  for (std::size_t k = 0; k < source.destinations.size(); ++k)
    if (source.destinations[k] == me && seen++ == earlier) return static_cast<int>(k);
  fail_mismatch(ErrorClass::topology, "rank %d is a source here but does not have this rank as a destination",
                mine.sources[at]);
}

}  // namespace ranklet::coll
