// What one member of a fixed set shows the others, round by round: a few cells, which it fills in turn and
// all read. Boards, the rounds of blocking collectives and the lines of small nonblocking ones are made of
// this.
//
// Round r of the member uses cell r mod depth. When it is filled, the cell's turn is set to r. A member that
// reads nothing more of the others' round r announces that it is done with r.
//
// Thread safety: one thread of the member at a time fills; any threads read. Invariants:
//  1. A cell holds round r from publish(r) until the member fills it for a later round, before which all
//     members have announced that they are done with r: may_fill(). Or until withdraw(r).
//  2. The turn of a cell only grows, but for withdraw(), as do the rounds that a member is done with.
//  3. A thread that has seen publish(r) sees the cell's content, and what its member did before.
#pragma once

#include <algorithm>
#include <cstdint>

#include "memmodel/memmodel.hpp"

namespace ranklet::members {

// Cell has a `turn`, a memmodel::Sequence<Sys>, beside its content.
template <class Cell, std::uint64_t depth, class Sys = memmodel::Native>
class Cells {
 public:
  const Cell& of(std::uint64_t round) const noexcept { return cells_[round % depth]; }
  // Whether the member's round is there to be read.
  bool hold(std::uint64_t round) const noexcept { return of(round).turn.value() == round; }

  // For the member. all_done: a round that all members are known to be done with.
  bool may_fill(std::uint64_t round, std::uint64_t all_done) const noexcept
  {
    return all_done + depth >= round || all_done >= of(round).turn.value();
  }
  // The cell of a round, to be filled when it may be, and then published.
  Cell& mine(std::uint64_t round) noexcept { return cells_[round % depth]; }
  void publish(std::uint64_t round) noexcept
  {
    Cell& cell = mine(round);
    // The member itself wrote the turn last.
    memmodel::invariant_on<Sys>([&] { return cell.turn.value() < round; }, "the turn of a cell grows (2)");
    cell.turn.publish(round);
  }
  // The cell holds no round: whoever has not seen this one there does not see it any more.
  void withdraw(std::uint64_t round) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return hold(round); }, "only what is shown is withdrawn (1)");
    mine(round).turn.publish(0);
  }
  // Before the member needs the cell of that round: its line, which earlier readers still have, is the
  // member's alone again. By a store of what is there, as a prefetch leaves a line alone that this core has
  // written last. It does nothing while they may be reading; no edge is made, as the turn is an old one.
  void take_back(std::uint64_t round, std::uint64_t all_done) noexcept
  {
    if (may_fill(round, all_done)) mine(round).turn.publish(of(round).turn.value());
  }

 private:
  Cell cells_[depth];
};

// The last round, up to `most`, that each of the members is done with; done_with(i): a Sequence that member i
// publishes.
template <class DoneWith>
std::uint64_t all_done(int members, std::uint64_t most, DoneWith&& done_with)
{
  for (int i = 0; i < members; ++i) most = std::min(most, done_with(i).value());
  return most;
}

}  // namespace ranklet::members
