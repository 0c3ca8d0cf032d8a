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
