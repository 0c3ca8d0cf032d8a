// Which algorithm a collective takes: the one place that decides. Every decision depends only on what is the
// same at all members of a correct program. The thresholds are settings (base/config.hpp); bench/tune.py
// measures both algorithms on either side of each, and the defaults come from its output on two cores.
#pragma once

#include <algorithm>

#include "base/config.hpp"
#include "coll/fold.hpp"
#include "coll/lend.hpp"
#include "coll/round.hpp"
#include "datatype/op.hpp"
#include "members/slices.hpp"

namespace ranklet::coll::select {

// Data of at most so many bytes travels in the cell; its sender need not wait for its readers.
inline bool travels_in_cell(Count bytes)
{
  return bytes <= Cell::capacity;
}

// Data for which there is no room in the cell, or the slot of a nonblocking collective, is copied for its
// readers if it is short, so that its sender need not wait for them (members/copy_ring.hpp). Where cores are
// shared that wait is a turn of all the others, and worth more.
inline bool travels(const Communicator& comm, Count bytes, Count room = Cell::capacity)
{
  const Count worth = config().coll_copied * (comm.shared().own_cores ? 1 : 2);
  return bytes <= room || bytes <= std::min<Count>(worth, CollState::longest_copy);
}
// The same of what each member gives, where the root takes all of it: instead of a transfer by all at once.
inline bool travels_to_root(const Communicator& comm, Count bytes, Count room = Cell::capacity)
{
  if (bytes <= room) return true;
  const Count members = comm.shared().members();
  const Count worth = (members > 2 ? 1 : 2) * config().coll_copied;
  return travels(comm, bytes) && (!comm.shared().own_cores || members * bytes <= worth);
}
// Where every member reduces all of it, instead of a slice: it reads more, but waits for less
// (docs/scaling.md). What a user's function takes is not known.
inline bool travels_to_all(const Communicator& comm, Count bytes, const Op& op, Count room = Cell::capacity)
{
  if (bytes <= room) return true;
  const Count members = comm.shared().members();
  if (members <= 2) return travels(comm, bytes);
  return op.is_predefined() && travels(comm, comm.shared().own_cores ? 2 * bytes : bytes) &&
         members * bytes <= 2 * config().coll_copied;
}
// Two members with cores of their own, who may swap the blocks in which they give each other something
// (members/swapped_blocks.hpp).
inline bool may_swap(const Communicator& comm)
{
  return !comm.is_inter() && comm.size() == 2 && comm.shared().own_cores;
}
// Whether they do, with operands, for which it costs no more if they are long.
inline bool swaps(const Communicator& comm, Count bytes)
{
  const Count worth = std::min<Count>(16 * config().coll_copied, CollState::longest_swapped);
  return may_swap(comm) && !travels_in_cell(bytes) && bytes <= worth;
}
// The same of what only moves: it is copied twice, where longer data that has not been written since the last
// time is there at once. Which of the two it is they find out (newness.hpp).
enum class Mutual { by_reference, swapped, as_found };
inline Mutual mutual(const Communicator& comm, Count given, Count taken)
{
  if (!swaps(comm, given) || !swaps(comm, taken)) return Mutual::by_reference;
  return travels(comm, std::max(given, taken)) ? Mutual::swapped : Mutual::as_found;
}
// What one of them gives the other, where it is too long to be copied unless it is new.
inline bool may_be_new(const Communicator& comm, Count bytes)
{
  return may_swap(comm) && !travels(comm, bytes) && swaps(comm, bytes);
}
// Where few take it: as many copies as there are cells, since room for more is waited for with all members.
inline bool travels_to_neighbors(const Communicator& comm, Count bytes)
{
  return travels(comm, bytes) && bytes <= Count{CollState::copy_bytes / CollState::depth};
}

// Up to here every member of an allreduce looks at all cells, which takes one hop. Where more share cores,
// the last one that comes reduces for all: n looks instead of n^2, and nobody runs twice (bench/tune.py).
// Where members have cores of their own, all look (docs/scaling.md).
inline constexpr int most_flat_members = 256;
inline int flat_members(bool own_cores)
{
  return own_cores ? most_flat_members
                   : static_cast<int>(std::min<Count>(config().coll_flat_members, most_flat_members));
}
inline bool each_reduces(const Communicator& comm)
{
  return comm.is_inter() || comm.shared().own_cores || comm.size() <= flat_members(false);
}
// Whether members who need something of all count themselves in first, so that nobody runs for each of them.
inline bool all_meet(const Communicator& comm)
{
  return !each_reduces(comm);
}

// Where many share cores the last member of some collectives makes for all what each would look at all others
// for: so much of it.
inline constexpr Count most_by_last = 65536;
// An allgather's blocks, side by side.
inline bool lies_side_by_side(const Communicator& comm, const Blocks& recv)
{
  if (!all_meet(comm) || !recv.are_equal()) return false;
  const Count block = recv[0].bytes();
  return travels(comm, block) && comm.size() * block <= most_by_last;
}
// A list of where an alltoall's blocks are.
inline bool lists_blocks(const Communicator& comm, const Blocks& send)
{
  return all_meet(comm) && send.are_equal() && travels(comm, comm.size() * send[0].bytes());
}
// The whole result of a reduce_scatter, of so many bytes.
inline bool reduces_by_last(const Communicator& comm, Count bytes)
{
  return all_meet(comm) && travels(comm, bytes);
}
// The results of a scan's members, each of so many bytes. Fewer members wait less for those before them, who
// have mostly run before, than for all.
inline bool scans_by_last(const Communicator& comm, Count bytes)
{
  constexpr int most_after_each_other = 64;
  return all_meet(comm) && comm.size() > most_after_each_other && !leaves_early(comm) &&
         travels(comm, bytes) && comm.size() * bytes <= most_by_last;
}

// Whether nonblocking collectives of what fits a cell are done by lines alone (lines.hpp).
inline bool in_lines(const Communicator& comm)
{
  return !comm.is_inter() && comm.size() <= flat_members(comm.shared().own_cores);
}

// The same of data, of which each member gives so much, if anything; or of blocks that members give.
inline bool moves_in_lines(const Communicator& comm, Count bytes)
{
  return in_lines(comm) && travels_in_cell(bytes);
}
inline bool moves_in_lines(const Communicator& comm, const Blocks& blocks)
{
  if (!in_lines(comm)) return false;
  for (int i = 0; i < (blocks.are_equal() ? 1 : comm.size()); ++i)
    if (!travels_in_cell(blocks[i].bytes())) return false;
  return true;
}

enum class Barrier { flat, by_groups, counter };
// Members that share cores wait longest for the next turn to run, so few steps count. Where they have their
// own, groups take little longer than flat from 64 on and move a twentieth of the lines (docs/scaling.md).
inline constexpr int most_flat_barrier = 32;
inline Barrier barrier(int members, bool own_cores)
{
  if (own_cores) return members <= most_flat_barrier ? Barrier::flat : Barrier::by_groups;
  return members <= config().coll_flat_barrier ? Barrier::flat : Barrier::counter;
}

// Whether the root of a broadcast copies a share of what each other member gets; in vain where its core is
// needed for others, or between groups, where the root's own are many, and of little use where many copy
// anyway. From 16 KiB on two copy faster than one although they must agree who copies what; at 8 KiB not yet.
inline bool root_helps(const Communicator& comm, Count bytes)
{
  return bytes >= config().coll_shared_bcast && !comm.is_inter() && comm.shared().own_cores &&
         comm.size() <= 8;
}

// A reduction of large vectors is divided into so many slices that each is worth a member's hop to all the
// others. Of two members each has 2 KiB; more with cores of their own less, as they read so much together,
// but a cache line, and not more than 128 (docs/scaling.md). A user's function gets whole vectors.
inline members::Slices slices(int members, bool own_cores, Count count, Count bytes, const Op& op)
{
  if (!op.is_predefined()) return {members, 1};
  const Count whole = std::max<Count>(config().coll_slice, 1);
  const Count worth = own_cores ? std::min(whole, std::max<Count>(2 * whole / members, 64)) : whole;
  const Count most = std::min<Count>({members, std::max<Count>(count, 1), 128});
  return {members, static_cast<int>(std::clamp<Count>(bytes / worth, 1, most))};
}

// Whether an allreduce in slices has two levels: where near groups fit the brackets. That is faster for 16
// and more members and all sizes from 1 KiB on (docs/scaling.md).
inline bool reduces_by_groups(Communicator& comm, const Op& op)
{
  return comm.shared().own_cores && brackets(comm, op) == Brackets::pairs &&
         state(comm).near_groups(comm.shared()).block > 0;
}

// Whether both members of an allreduce of middle size read all operands and reduce for themselves: a hop less
// than where one reduces and the other fetches the result.
inline bool both_reduce(int members, bool own_cores, Count count, Count bytes, const Op& op)
{
  return members == 2 && slices(members, own_cores, count, bytes, op).count == 1;
}

}  // namespace ranklet::coll::select
