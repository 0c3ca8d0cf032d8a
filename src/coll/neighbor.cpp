// Neighbourhood collectives (MPI 5.0 §8.6).
#include "coll/coll.hpp"
#include "coll/neighborhood.hpp"
#include "coll/part_transfer.hpp"
#include "coll/select.hpp"

namespace ranklet::coll {

namespace {

struct Sender {
  const Blocks* blocks;
  const comm::Topology* topology;
};

// What the source has posted for the edge.
Part block_along(const comm::Topology& mine, int edge, int rank, Round& round, int source)
{
  const Cell& cell = round.await(source);
  if (cell.mode() == Mode::data) {
    const Copied data = cell.data();
    const auto& theirs = *data.topology;
    return posted_block(data, static_cast<int>(theirs.destinations.size()),
                        matching_block(mine, edge, theirs, rank));
  }
  const Sender& sender = round.args<Sender>(source);
  return (*sender.blocks)[matching_block(mine, edge, *sender.topology, rank)];
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
  Round round(comm, Collective::neighbor_allgather, 0);
  const bool small = select::travels_to_neighbors(comm, send.bytes());
  if (small)
    post_part(round, send);
  else
    round.post(send);
  for (std::size_t i = 0; i < mine.sources.size(); ++i) {
    const int source = mine.sources[i];
    if (source == proc_null) continue;
    const Part block = recv[static_cast<int>(i)];
    const Cell& cell = round.await(source);
    if (cell.mode() == Mode::data)
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
  Round round(comm, Collective::neighbor_alltoall, 0);
  const int n = static_cast<int>(mine.destinations.size());
  const Count bytes = may_be_read(send, mine) ? posted_bytes(send, n) : CollState::longest_copy + 1;
  const bool small = select::travels_to_neighbors(comm, bytes);
  if (small)
    post_copy_of(round, send, n, bytes, state(comm).keep(comm.rank(), comm.topology));
  else
    round.post(Sender{&send, &mine});
  for (std::size_t i = 0; i < mine.sources.size(); ++i) {
    const int source = mine.sources[i];
    if (source == proc_null) continue;
    const Part block = block_along(mine, static_cast<int>(i), comm.rank(), round, source);
    transfer(round, source, block, recv[static_cast<int>(i)]);
  }
  round.finish();
  if (!small) await_readers(round, mine);
}

}  // namespace ranklet::coll
