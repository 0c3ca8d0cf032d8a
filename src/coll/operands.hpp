// What members show each other in reductions.
#pragma once

#include "coll/fold.hpp"
#include "coll/root.hpp"
#include "coll/round.hpp"
#include "coll/select.hpp"

namespace ranklet::coll {

struct Operands {
  const void* send;
  void* recv;  // where the member's result goes; null if it gets none
  Count count;
  Count bytes;
};

// Shows this member's buffers and looks at those of members [first, first + count), which must hold the same
// amount: afterwards send(i) and recv(i) are theirs. Errors: truncate.
class Gathering {
 public:
  Gathering(Round& round, const Operands& mine, const Peers& peers) : Gathering(round, peers)
  {
    round.post(mine);
    for (int i = 0; i < peers.count; ++i)
      if (round.args<Operands>(peers.first + i).bytes != mine.bytes) round.reject_size(peers.first + i);
  }

  const void* send(int i) const { return round_.args<Operands>(first_ + i).send; }
  void* recv(int i) const { return round_.args<Operands>(first_ + i).recv; }

 private:
  Gathering(Round& round, const Peers& peers) : round_(round), first_(peers.first) {}

  Round& round_;
  const int first_;
};

// The elements [begin, begin + count) of slice `which` of `slices`.
struct Slice {
  Count begin;
  Count count;
};
inline Slice slice(Count elements, int slices, int which)
{
  const Count whole = elements / slices, rest = elements % slices;
  return {which * whole + std::min<Count>(which, rest), whole + (which < rest ? 1 : 0)};
}

// Whether the operands of a reduction may travel in cells: as the bytes between their first and last element.
inline bool operands_travel_in_cell(Count count, const Datatype& type)
{
  // The gap that a pair has is the caller's own memory; other gaps may not be.
  return (type.is_contiguous() || type.basic() != Basic::none) &&
         select::travels_in_cell(count * type.extent());
}

inline void post_operands(Round& round, const void* send, Count count, const Datatype& type)
{
  const Count bytes = count * type.extent();
  round.post_data(bytes, [&](void* out) { std::memcpy(out, send, static_cast<std::size_t>(bytes)); });
}

// The operands that a member has posted as data. Errors: truncate, if there are more or less of them.
inline const void* operands_in_cell(Round& round, int member, Count count, const Datatype& type)
{
  const Cell& cell = round.await(member);
  if (cell.mode != Mode::data || cell.length != count * type.extent()) round.reject_size(member);
  return cell.payload;
}

}  // namespace ranklet::coll
