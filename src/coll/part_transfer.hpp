// Moving a part into another, with the errors of collectives.
#pragma once

#include <algorithm>

#include "coll/buffers.hpp"
#include "coll/packed_blocks.hpp"
#include "coll/round.hpp"
#include "coll/select.hpp"
#include "datatype/copy.hpp"

namespace ranklet::coll {

// What is sent and what is received must be the same amount (MPI 5.0 §6.1).
inline void check_amount(Round& round, int member, Count bytes, const Part& to)
{
  if (bytes != to.bytes()) [[unlikely]]
    round.reject_amount(member, bytes, to.bytes());
}

// Errors: truncate, if `from`, which is member's, has another size.
inline void transfer(Round& round, int member, const Part& from, const Part& to)
{
  check_amount(round, member, from.bytes(), to);
  copy(from.address, from.count, *from.type, to.address, to.count, *to.type);
}

// Exchanges the data of two parts; false, with nothing done, unless they are of equal size.
bool swap_parts(const Part& a, const Part& b);

// Posts the data of a part.
inline void post_part(Round& round, const Part& from)
{
  const Count bytes = from.bytes();
  const auto fill = [&](void* out) { pack(from.address, from.count, *from.type, 0, out, bytes); };
  if (select::travels_in_cell(bytes))
    round.post_data(bytes, fill);
  else
    round.post_copy(bytes, fill);
}

// The same of one that is longer (select::may_be_new()).
inline void post_long_part(Round& round, const Part& from)
{
  const Count bytes = from.bytes();
  round.post_long_copy(bytes, [&](void* out) { pack(from.address, from.count, *from.type, 0, out, bytes); });
}

// That of a part where two members swap blocks (select::swaps()).
inline void post_swapped(Round& round, const Part& from, Found found = Found::nothing)
{
  const Count bytes = from.bytes();
  const auto fill = [&](void* out) { pack(from.address, from.count, *from.type, 0, out, bytes); };
  round.post_swapped(bytes, fill, found);
}

// The reverse. Errors: truncate.
inline void take_part(Round& round, int member, const Cell& cell, const Part& to)
{
  const Copied data = cell.data();
  check_amount(round, member, data.length, to);
  unpack(to.address, to.count, *to.type, 0, data.bytes, data.length);
}

// What a member has posted as one part, or where it is.
inline Part given_by(Round& round, int member)
{
  const Cell& cell = round.await(member);
  if (cell.mode() != Mode::data) return round.args<Part>(member);
  const Copied data = cell.data();
  return {data.bytes, data.length, &predefined(Basic::byte)};
}

// Two members give each other a part, in one of the ways that are not by_reference alone: this one `given`,
// for which refer(found) posts where it is. own() moves what this member gives itself; theirs() is what the
// other one gives. Errors: truncate.
template <class Refer, class Own, class Theirs>
void exchange_parts(Round& round, select::Mutual way, const Part& given, Refer&& refer, Own&& own,
                    Theirs&& theirs, const Part& taken)
{
  const int other = 1 - round.me();
  const bool learns = way == select::Mutual::as_found;
  // Who has no memory for it goes the other way alone.
  const bool swapped = !learns || (round.mutual_newness().is_expected() && round.can_swap());
  const Found found = learns ? round.mutual_newness().found() : Found::nothing;
  if (swapped)
    post_swapped(round, given, found);
  else
    refer(found);
  own();
  const Cell& cell = round.await(other);
  const bool is_there = cell.mode() == Mode::data;
  if (learns) round.mutual_newness().note(cell.found(), swapped == is_there);
  const Part from = theirs();
  if (learns && !is_there && from.type->is_contiguous())
    round.mutual_newness().look_at(from.address, from.bytes());
  transfer(round, other, from, taken);
  round.all_have_come();
  round.finish();
  if (!swapped) round.await_all_done();
}

// How many bytes n blocks take when they are posted: with their table, which equal ones do not need outside a
// cell. Only as far as it matters.
inline Count posted_bytes(const Blocks& blocks, int n)
{
  const Count packed = packed_bytes(blocks, n, CollState::longest_copy);
  if (select::travels_in_cell(packed)) return packed;
  return std::max<Count>(copied_bytes(blocks, n, CollState::longest_copy), Cell::capacity + 1);
}

// Posts a copy of n blocks, which take so many bytes. topology: see Copied.
inline void post_copy_of(Round& round, const Blocks& blocks, int n, Count bytes,
                         const comm::Topology* topology = nullptr)
{
  if (!blocks.are_equal()) {
    const auto fill = [&](unsigned char* out) { pack_blocks(blocks, n, bytes, out); };
    return round.post_copy({nullptr, bytes, Copied::apart, topology}, fill);
  }
  // Without a table, which readers would have to wait for before they ask for their block.
  const Part all = blocks.all(n);
  const auto fill = [&](void* out) { pack(all.address, all.count, *all.type, 0, out, all.bytes()); };
  round.post_copy({nullptr, all.bytes(), blocks[0].bytes(), topology}, fill);
}

// The same, in the cell if they fit.
inline void post_blocks(Round& round, const Blocks& blocks, int n, Count bytes)
{
  if (!select::travels_in_cell(bytes)) return post_copy_of(round, blocks, n, bytes);
  round.post_data(bytes, [&](unsigned char* out) { pack_blocks(blocks, n, bytes, out); });
}

// Of n blocks that a member has posted as data; of two members it may have been this one alone.
inline Part posted_block(const Copied& data, int n, int which)
{
  if (data.is_swapped) return {data.bytes, data.length, &predefined(Basic::byte)};
  if (data.block == Copied::apart) return packed_block(data.bytes, data.length, n, which);
  return {data.bytes + data.block * which, data.block, &predefined(Basic::byte)};
}

// What a member that has posted blocks has for this one.
inline Part block_for_us(const Communicator& comm, Round& round, int member)
{
  const Cell& cell = round.await(member);
  if (cell.mode() == Mode::data) return posted_block(cell.data(), comm.size(), comm.rank());
  return (*round.args<const Blocks*>(member))[comm.rank()];
}

}  // namespace ranklet::coll
