// Neighbourhood collectives (MPI 5.0 §8.6).
#include "base/error.hpp"
#include "coll/coll.hpp"
#include "coll/select.hpp"
#include "coll/transfer.hpp"
#include "comm/topology.hpp"

namespace ranklet::coll {

namespace {

const comm::Topology& neighborhood(const Communicator& comm)
{
  if (!comm.topology) fail(ErrorClass::topology, "the communicator has no topology");
  return *comm.topology;
}

struct Sender {
  const Blocks* blocks;
  const comm::Topology* topology;
};

// Which of the source's blocks arrives as this rank's block `i`. In a grid what goes one way comes in from
// the other side, also where both neighbours are the same rank. In a graph the k-th edge from a source to
// here, in its list, is the k-th one from that source in ours.
int matching_block(const comm::Topology& mine, int i, const comm::Topology& source, int me)
{
  if (mine.kind == comm::TopologyKind::cartesian) return i ^ 1;
  const auto at = static_cast<std::size_t>(i);
  const auto earlier = std::count(mine.sources.begin(), mine.sources.begin() + i, mine.sources[at]);
  std::ptrdiff_t seen = 0;
  for (std::size_t k = 0; k < source.destinations.size(); ++k)
    if (source.destinations[k] == me && seen++ == earlier) return static_cast<int>(k);
  fail(ErrorClass::topology, "rank %d is a source here but does not have this rank as a destination",
       mine.sources[at]);
}

void await_readers(Round& round, const comm::Topology& mine)
{
  for (const int rank : mine.destinations)
    if (rank != proc_null && rank != round.me()) round.await_done(rank);
}

}  // namespace

void neighbor_allgather(Communicator& comm, Part send, const Blocks& recv)
{
  const comm::Topology& mine = neighborhood(comm);
  Round round(comm, Call::neighbor_allgather, 0);
  const bool small = select::travels_in_cell(send.bytes());
  if (small)
    post_part(round, send);
  else
    round.post(send);
  for (std::size_t i = 0; i < mine.sources.size(); ++i) {
    const int source = mine.sources[i];
    if (source == proc_null) continue;
    const Part block = recv[static_cast<int>(i)];
    const Cell& cell = round.await(source);
    if (cell.mode == Mode::data)
      take_part(round, source, cell, block);
    else
      transfer(round, source, round.args<Part>(source), block);
  }
  round.finish();
  if (!small) await_readers(round, mine);
}

void neighbor_alltoall(Communicator& comm, const Blocks& send, const Blocks& recv)
{
  const comm::Topology& mine = neighborhood(comm);
  Round round(comm, Call::neighbor_alltoall, 0);
  round.post(Sender{&send, &mine});
  for (std::size_t i = 0; i < mine.sources.size(); ++i) {
    const int source = mine.sources[i];
    if (source == proc_null) continue;
    const Sender& sender = round.args<Sender>(source);
    const int block = matching_block(mine, static_cast<int>(i), *sender.topology, comm.rank());
    transfer(round, source, (*sender.blocks)[block], recv[static_cast<int>(i)]);
  }
  round.finish();
  await_readers(round, mine);
}

}  // namespace ranklet::coll
