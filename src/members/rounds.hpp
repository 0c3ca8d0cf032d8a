// The rounds of a fixed set's members, each of which shows the others something in its cell of the round: a
// blocking collective is a round.
//
// Thread safety: as for Cells. Invariants, beside those of Cells:
//  1. `phase` and `done` of a member only grow; done >= r means that the member touches no other member's
//     cells and buffers for round r any more.
//  2. A member that has seen all cells of round r knows that all are done with round r - 1: each announces
//     that before it posts again.
//  3. Whatever another member may wait for in round r is followed by notify() of the member's parking(r).
//  4. What a member withdraws in round r is read by those only who have noted that they are in it when the
//     member looks at the notes behind withdraw(r).
#pragma once

#include <algorithm>
#include <type_traits>

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

  // For those who wait for something of the round. As many as cells, in the line that the member has written
  // when it looks at them: who waits for a round that is far off is not woken by every one before it.
  memmodel::Parking<Sys>& parking(std::uint64_t round) noexcept { return parkings_[round % depth]; }

  void publish(std::uint64_t round) noexcept { publish(round, cells); }
  // In cells of the member's that the round is in.
  template <class SomeCells>
  void publish(std::uint64_t round, SomeCells& in) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return is_done_with(round - 1); },
                                "a member says that it is done with a round before it posts in the next (2)");
    in.publish(round);
    parking(round).notify();
  }
  // Between another member's note that it is in a round and its looks at what is shown there (4).
  static void enter() noexcept { Sys::light_fence(); }
  // Before a look at the others' notes: pairs with enter().
  template <class SomeCells>
  void withdraw(std::uint64_t round, SomeCells& from) noexcept
  {
    from.withdraw(round);
    Sys::heavy_fence();
  }
  static constexpr std::uint64_t phases = 64;  // of a round, counted from 0
  void reach(std::uint64_t round, std::uint64_t phase) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return !has_reached(round, phase + 1); },
                                "the phase of a member only grows (1)");
    progress.phase.publish(round * phases + phase);
    parking(round).notify();
  }
  void finish(std::uint64_t round) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return progress.done.value() < round; },
                                "a member is done with its rounds in their order (1)");
    progress.done.publish(round);
    parking(round).notify();
  }
  bool has_reached(std::uint64_t round, std::uint64_t phase) const noexcept
  {
    return progress.phase.value() >= round * phases + phase;
  }
  bool is_in(std::uint64_t round, std::uint64_t phase) const noexcept
  {
    return progress.phase.value() == round * phases + phase;
  }
  bool is_done_with(std::uint64_t round) const noexcept { return progress.done.value() >= round; }

 private:
  memmodel::Parking<Sys> parkings_[depth];
};

// Calls visit(i) for all members, beginning at one of them: each member begins at its own place, as a line
// that all fetch at once answers them one after the other (docs/scaling.md).
template <class Visit>
void each_from(int first, int members, Visit&& visit)
{
  for (int i = first; i < members; ++i) visit(i);
  for (int i = 0; i < std::min(first, members); ++i) visit(i);
}

// Whether a member is done with a round, and with how many up to it it is not.
template <class RoundsOfMember>
struct DoneWith {
  const RoundsOfMember& rounds;
  const std::uint64_t round;

  bool operator()() const noexcept { return rounds.is_done_with(round); }
  std::uint64_t lacking() const noexcept
  {
    const std::uint64_t done = rounds.progress.done.value();
    return done < round ? round - done : 0;
  }
};

// For a member in `round`: waits until all others are done with an earlier one, and returns up to which round
// they are. For the one that is furthest behind, again and again: when that one is done the others mostly
// are, too. rounds_of(i): member i's Rounds; await(parking, DoneWith) sleeps there until it is so.
template <class RoundsOf, class Await>
std::uint64_t await_room(std::uint64_t round, std::uint64_t earlier, int members, int me,
                         RoundsOf&& rounds_of, Await&& await)
{
  for (;;) {
    std::uint64_t done = round - 1;
    int last = me;
    for (int i = 0; i < members; ++i) {
      if (i == me) continue;
      const std::uint64_t its_done = rounds_of(i).progress.done.value();
      if (its_done >= done) continue;
      done = its_done;
      last = i;
    }
    if (done >= earlier) return done;
    auto& rounds = rounds_of(last);
    await(rounds.parking(earlier), DoneWith<std::remove_reference_t<decltype(rounds)>>{rounds, earlier});
  }
}

}  // namespace ranklet::members
