// The rounds of a fixed set's members, each of which shows the others something in its cell of the round: a
// blocking collective is a round.
//
// Thread safety: as for Cells. Invariants, beside those of Cells:
//  1. `phase` and `done` of a member only grow; done >= r means that the member touches no other member's
//     cells and buffers for round r any more.
//  2. A member that has seen all cells of round r knows that all are done with round r - 1: each announces
//     that before it posts again.
//  3. Whatever another member may wait for is followed by notify() of the member's parking.
#pragma once

#include <algorithm>

#include "members/cells.hpp"

namespace ranklet::members {

// How far a member is; written by it, read by all.
template <class Sys = memmodel::Native>
struct Progress {
  memmodel::Sequence<Sys> phase;
  memmodel::Sequence<Sys> done;
};

// What a member shows of its rounds, and where those sleep who wait for it.
template <class Cell, std::uint64_t depth, class Sys = memmodel::Native>
class Rounds {
 public:
  Cells<Cell, depth, Sys> cells;
  alignas(64) Progress<Sys> progress;
  memmodel::Parking<Sys> parking;  // the member looks at it whenever it has written the line

  void publish(std::uint64_t round) noexcept { publish(round, cells); }
  // In cells of the member's that the round is in.
  template <class SomeCells>
  void publish(std::uint64_t round, SomeCells& in) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return is_done_with(round - 1); },
                                "a member says that it is done with a round before it posts in the next (2)");
    in.publish(round);
    parking.notify();
  }
  void reach(std::uint64_t phase) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return progress.phase.value() <= phase; },
                                "the phase of a member only grows (1)");
    progress.phase.publish(phase);
    parking.notify();
  }
  void finish(std::uint64_t round) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return progress.done.value() < round; },
                                "a member is done with its rounds in their order (1)");
    progress.done.publish(round);
    parking.notify();
  }
  bool is_done_with(std::uint64_t round) const noexcept { return progress.done.value() >= round; }
};

// Calls visit(i) for all members, beginning at one of them: each member begins at its own place, as a line
// that all fetch at once answers them one after the other (docs/scaling.md).
template <class Visit>
void each_from(int first, int members, Visit&& visit)
{
  for (int i = first; i < members; ++i) visit(i);
  for (int i = 0; i < std::min(first, members); ++i) visit(i);
}

// For a member in `round`: waits until all others are done with an earlier one, and returns up to which round
// they are. rounds_of(i): member i's Rounds; await(parking, done) sleeps there until done().
template <class RoundsOf, class Await>
std::uint64_t await_room(std::uint64_t round, std::uint64_t earlier, int members, int me,
                         RoundsOf&& rounds_of, Await&& await)
{
  std::uint64_t done = round - 1;
  for (int i = 0; i < members; ++i) {
    if (i == me) continue;
    auto& other = rounds_of(i);
    await(other.parking, [&] { return other.is_done_with(earlier); });
    done = std::min(done, other.progress.done.value());
  }
  return done;
}

}  // namespace ranklet::members
