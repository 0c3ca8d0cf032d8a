// Which algorithm a collective takes: the one place that decides. Every decision depends only on what is the
// same at all members of a correct program.
#pragma once

#include <algorithm>

#include "coll/round.hpp"
#include "datatype/op.hpp"

namespace ranklet::coll::select {

// Data of at most so many bytes travels in the cell; its sender need not wait for its readers.
inline bool travels_in_cell(Count bytes)
{
  return bytes <= Cell::capacity;
}

// Up to here every member looks at all cells, which takes one hop; above, one member gathers and hands out,
// which takes two but 2n instead of n^2 looks.
inline constexpr int flat_members = 16;

enum class Barrier { flat, dissemination, counter };
// Members that share cores wait longest for the next turn to run, so few steps count; members with cores
// of their own for the cache line that all of them write.
inline Barrier barrier(int members, bool own_cores)
{
  if (members <= 8) return Barrier::flat;
  return own_cores ? Barrier::dissemination : Barrier::counter;
}

// A reduction of large vectors is divided into slices that members reduce at once: how many, so that a slice
// is worth a member's hop to all the others. A user's function gets whole vectors.
inline int slices(int members, Count count, Count bytes, const Op& op)
{
  constexpr Count worth = 2048;  // bytes
  if (!op.is_predefined()) return 1;
  const Count most = std::min<Count>(members, std::max<Count>(count, 1));
  return static_cast<int>(std::clamp<Count>(bytes / worth, 1, most));
}

}  // namespace ranklet::coll::select
