#include "coll/round.hpp"

#include <mutex>

#include "base/error.hpp"

namespace ranklet::coll {

const char* name(Call call)
{
  switch (call) {
    case Call::barrier:
      return "MPI_Barrier";
    case Call::bcast:
      return "MPI_Bcast";
    case Call::gather:
      return "MPI_Gather or MPI_Gatherv";
    case Call::scatter:
      return "MPI_Scatter or MPI_Scatterv";
    case Call::allgather:
      return "MPI_Allgather or MPI_Allgatherv";
    case Call::alltoall:
      return "MPI_Alltoall or a variant";
    case Call::reduce:
      return "MPI_Reduce";
    case Call::allreduce:
      return "MPI_Allreduce";
    case Call::reduce_scatter:
      return "MPI_Reduce_scatter or MPI_Reduce_scatter_block";
    case Call::scan:
      return "MPI_Scan";
    case Call::exscan:
      return "MPI_Exscan";
    case Call::neighbor_allgather:
      return "MPI_Neighbor_allgather or MPI_Neighbor_allgatherv";
    case Call::neighbor_alltoall:
      return "MPI_Neighbor_alltoall or a variant";
  }
  return "an unknown collective";
}

CommState& state(Communicator& comm)
{
  if (!comm.coll) [[unlikely]] {
    CommShared& shared = comm.shared();
    const std::lock_guard guard(shared.coll_lock);
    if (!shared.coll) shared.coll = std::make_shared<CommState>(shared.members());
    comm.coll = shared.coll.get();
  }
  return *comm.coll;
}

Round::Round(Communicator& comm, Call call, int root)
    : state_(state(comm)),
      self_(comm.self()),
      me_(comm.board_rank()),
      members_(comm.shared().members()),
      call_(call),
      root_(root),
      number_(++own().round)
{
}

Round::~Round()
{
  if (finished_) return;
  try {
    const bool shown = posted_ == Mode::direct;
    if (posted_ == Mode::failed) publish(open(Mode::failed, 0));
    mine().progress.phase.publish(number_ * phases + phases - 1);
    finish();
    if (shown) await_all_done();
  } catch (...) {
    // The job is being cancelled, and the exception that brought us here says why.
  }
}

Cell& Round::open(Mode mode, std::uint8_t length)
{
  if (own().all_done + CommState::depth < number_) make_room();
  Cell& cell = mine().cells[number_ % CommState::depth];
  cell.call = call_;
  cell.mode = mode;
  cell.length = length;
  cell.root = root_;
  return cell;
}

void Round::publish(Cell& cell)
{
  posted_ = cell.mode == Mode::failed ? Mode::data : cell.mode;
  cell.turn.publish(number_);
  mine().parking.notify();
}

// Invariant 1: waits until all are done with the round that the cell holds.
void Round::make_room()
{
  const std::uint64_t wanted = number_ - CommState::depth;
  std::uint64_t all_done = number_ - 1;
  for (int i = 0; i < members_; ++i) {
    if (i == me_) continue;
    CommState::Member& member = state_.members_[i];
    wait_until(self_, member.parking, [&] { return member.progress.done.value() >= wanted; });
    all_done = std::min(all_done, member.progress.done.value());
  }
  own().all_done = all_done;
}

void Round::wait_for_cell(int member, const Cell& cell)
{
  wait_until(self_, state_.members_[member].parking, [&] { return cell.turn.value() == number_; });
}

void Round::reject(int member, const Cell& cell)
{
  if (cell.mode == Mode::failed)
    fail(ErrorClass::other, "member %d has failed in %s", member, name(cell.call));
  if (cell.call != call_)
    fail(ErrorClass::other, "member %d is in %s while this one is in %s", member, name(cell.call),
         name(call_));
  fail(ErrorClass::root, "member %d gives the root %d, this one %d", member, static_cast<int>(cell.root),
       static_cast<int>(root_));
}

void Round::reject_size(int member)
{
  fail(ErrorClass::truncate, "member %d gives another amount of data", member);
}

void Round::reach(int phase)
{
  mine().progress.phase.publish(number_ * phases + static_cast<std::uint64_t>(phase));
  mine().parking.notify();
}

void Round::await_phase(int member, int phase)
{
  CommState::Member& other = state_.members_[member];
  const std::uint64_t wanted = number_ * phases + static_cast<std::uint64_t>(phase);
  wait_until(self_, other.parking, [&] { return other.progress.phase.value() >= wanted; });
  if (other.progress.phase.value() == number_ * phases + phases - 1) [[unlikely]]
    fail(ErrorClass::other, "member %d has failed in %s", member, name(call_));
}

void Round::finish()
{
  finished_ = true;
  mine().progress.done.publish(number_);
  mine().parking.notify();
}

void Round::await_done(int member)
{
  CommState::Member& other = state_.members_[member];
  wait_until(self_, other.parking, [&] { return other.progress.done.value() >= number_; });
}

void Round::await_all_done()
{
  for (int i = 0; i < members_; ++i)
    if (i != me_) await_done(i);
  own().all_done = number_;
}

}  // namespace ranklet::coll
