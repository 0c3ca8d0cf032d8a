// Schedules of the neighbourhood collectives (MPI 5.0 §8.7, §8.8).
#include "coll/neighborhood.hpp"
#include "coll/nonblocking.hpp"
#include "coll/schedule.hpp"
#include "coll/select.hpp"

namespace ranklet::coll {

namespace {

// For who has shown buffers that the neighbours read.
void wait_for_readers(Schedule& schedule, const comm::Topology& mine)
{
  schedule.reach(Stage::done);
  if (schedule.shows_copy()) return;
  for (const int rank : mine.destinations)
    if (rank != proc_null && rank != schedule.me()) schedule.wait_for(rank, Stage::done);
}

}  // namespace

Request& ineighbor_allgather(Communicator& comm, Part send, const Blocks& recv, Life life)
{
  const comm::Topology& mine = neighborhood(comm);
  auto schedule = new_schedule(comm, Collective::neighbor_allgather, 0, life);
  schedule->shown.part = send;
  if (select::travels(comm, send.bytes(), Slot::capacity)) schedule->show_copy(send.bytes());
  schedule->take_blocks(recv, static_cast<int>(mine.sources.size()));
  for (std::size_t i = 0; i < mine.sources.size(); ++i)
    if (mine.sources[i] != proc_null)
      schedule->add({.action = Action::take_part, .member = mine.sources[i], .block = static_cast<int>(i)});
  wait_for_readers(*schedule, mine);
  return launch(std::move(schedule));
}

Request& ineighbor_alltoall(Communicator& comm, const Blocks& send, const Blocks& recv, Life life)
{
  const comm::Topology& mine = neighborhood(comm);
  auto schedule = new_schedule(comm, Collective::neighbor_alltoall, 0, life);
  const int n = static_cast<int>(mine.destinations.size());
  schedule->show_blocks(send, n);
  if (may_be_read(send, mine)) {
    const Count bytes = copied_bytes(schedule->shown.blocks, n, CollState::longest_copy);
    if (select::travels(comm, bytes, Slot::capacity)) schedule->show_copy(bytes, n);
  }
  schedule->shown.topology = state(comm).keep(comm.rank(), comm.topology);
  schedule->take_blocks(recv, static_cast<int>(mine.sources.size()));
  for (std::size_t i = 0; i < mine.sources.size(); ++i)
    if (mine.sources[i] != proc_null)
      schedule->add({.action = Action::take_edge, .member = mine.sources[i], .block = static_cast<int>(i)});
  wait_for_readers(*schedule, mine);
  return launch(std::move(schedule));
}

}  // namespace ranklet::coll
