// More cells for a member of a set with Rounds, which would wait for room in those that it has: from some
// round on it fills these. Few members run so far ahead of the others that they need them.
//
// Thread safety: as for Cells; made by the member, and found by all through an acquire that pairs with its
// release (memmodel::Lazy). Invariant:
//  1. A round is in these cells if it is not before `first`, else in the first ones. A thread that does not
//     see these yet does not find such a round in the others, where it never is, and looks again.
#pragma once

#include "members/rounds.hpp"

namespace ranklet::members {

template <class Cell, std::uint64_t depth, class Sys = memmodel::Native>
struct MoreCells {
  explicit MoreCells(std::uint64_t in_first) : first(in_first) {}

  const std::uint64_t first;
  Cells<Cell, depth, Sys> cells;
};

// The member's cell of a round, as far as is seen: whether the round is there its turn says. more: null where
// there are none.
template <class Rounds, class More>
const auto& cell_of(const Rounds& rounds, const More* more, std::uint64_t round) noexcept
{
  return more && round >= more->first ? more->cells.of(round) : rounds.cells.of(round);
}

// For the member, whose present round they have, if any: calls use() with the cells that it fills.
template <class Rounds, class More, class Use>
decltype(auto) with_cells(Rounds& rounds, More* more, Use&& use)
{
  return more ? use(more->cells) : use(rounds.cells);
}

}  // namespace ranklet::members
