#include "coll/coll.hpp"
#include "coll/lend.hpp"
#include "coll/part_transfer.hpp"
#include "coll/root.hpp"
#include "coll/select.hpp"

namespace ranklet::coll {

namespace {

// Of each pair of members one exchanges the two blocks; the parity spreads the work evenly.
void alltoall_in_place(Round& round, const Blocks& blocks)
{
  const int me = round.me();
  round.post(&blocks);
  for (int k = 1; k < round.members(); ++k) {
    const int other = (me + k) % round.members();
    const bool mine = ((me + other) % 2 == 0) == (me < other);
    const Blocks& theirs = *round.args<const Blocks*>(other);
    if (mine && !swap_parts(blocks[other], theirs[me]))
      round.reject_amount(other, theirs[me].bytes(), blocks[other].bytes());
  }
  round.all_have_come();
  round.finish();
  round.await_all_done();
}

// Of all blocks together, as far as it matters: it stops above `limit`, for the sum may not fit.
Count total_bytes(const Blocks& blocks, int n, Count limit)
{
  Count total = 0;
  for (int i = 0; i < n && total <= limit; ++i) total += blocks[i].bytes();
  return total;
}

// Few and small blocks travel in the cell all together, after a table of where each ends.
void post_blocks(Round& round, const Blocks& blocks, int n, Count total)
{
  round.post_data(n + total, [&](unsigned char* out) {
    Count end = 0;
    for (int i = 0; i < n; ++i) {
      const Part block = blocks[i];
      end += pack(block.address, block.count, *block.type, 0, out + n + end, Cell::capacity);
      out[i] = static_cast<unsigned char>(end);
    }
  });
}

// The block `which` of n.
void take_block(Round& round, int member, const Cell& cell, int n, int which, const Part& to)
{
  const Count begin = which == 0 ? 0 : cell.payload[which - 1];
  const Count bytes = cell.payload[which] - begin;
  check_amount(round, member, bytes, to);
  unpack(to.address, to.count, *to.type, 0, cell.payload + n + begin, bytes);
}

}  // namespace

void alltoall(Communicator& comm, const Blocks& send, const Blocks& recv)
{
  Round round(comm, Collective::alltoall, 0);
  if (send.is_in_place()) return alltoall_in_place(round, recv);
  const Peers from = peers(comm);
  const int n = from.count;
  const Count total = total_bytes(send, n, select::longest_loan);
  const bool small = select::travels_in_cell(n + total);
  const bool lent = !small && select::lends_blocks(comm, total);
  if (small)
    post_blocks(round, send, n, total);
  else
    round.post(lent ? lend(round, send, n) : &send);
  for (int k = 0; k < n; ++k) {
    // Each begins at another place, so that not all copy from one member at once.
    const int i = (comm.rank() + k) % n;
    const int member = from.first + i;
    const Cell& cell = round.await(member);
    if (cell.mode() == Mode::data)
      take_block(round, member, cell, comm.size(), comm.rank(), recv[i]);
    else
      transfer(round, member, (*round.args<const Blocks*>(member))[comm.rank()], recv[i]);
  }
  if (!comm.is_inter()) round.all_have_come();
  round.finish();
  if (!small && !lent) round.await_all_done();
}

}  // namespace ranklet::coll
