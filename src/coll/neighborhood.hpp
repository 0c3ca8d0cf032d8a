// The neighbours of a member, and which of their blocks is for which.
#pragma once

#include "coll/buffers.hpp"
#include "comm/communicator.hpp"
#include "comm/virtual_topology.hpp"

namespace ranklet::coll {

// Errors: topology, if the communicator has none.
const comm::Topology& neighborhood(const Communicator& comm);

// Whether blocks for all destinations are there: of those for MPI_PROC_NULL only what lies between others is
// (§8.6).
bool may_be_read(const Blocks& blocks, const comm::Topology& mine);

// Which of the source's blocks arrives as this rank's block `i`. In a grid what goes one way comes in from
// the other side, also where both neighbours are the same rank. In a graph the k-th edge from a source to
// here, in its list, is the k-th one from that source in ours.
// Errors: topology, if the source does not know of the edge.
int matching_block(const comm::Topology& mine, int i, const comm::Topology& source, int me);

}  // namespace ranklet::coll
