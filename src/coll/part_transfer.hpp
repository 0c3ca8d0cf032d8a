// Moving a part into another, with the errors of collectives.
#pragma once

#include "coll/buffers.hpp"
#include "coll/packed_blocks.hpp"
#include "coll/round.hpp"
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

// Posts the data of a part, which travels in the cell.
inline void post_part(Round& round, const Part& from)
{
  const Count bytes = from.bytes();
  round.post_data(bytes, [&](void* out) { pack(from.address, from.count, *from.type, 0, out, bytes); });
}

// The reverse. Errors: truncate.
inline void take_part(Round& round, int member, const Cell& cell, const Part& to)
{
  check_amount(round, member, cell.length(), to);
  unpack(to.address, to.count, *to.type, 0, cell.payload, cell.length());
}

// What a member that has posted blocks, packed or a pointer to them, has for this one.
inline Part block_for_us(const Communicator& comm, Round& round, int member)
{
  const Cell& cell = round.await(member);
  if (cell.mode() == Mode::data) return packed_block(cell.payload, comm.size(), comm.rank());
  return (*round.args<const Blocks*>(member))[comm.rank()];
}

}  // namespace ranklet::coll
