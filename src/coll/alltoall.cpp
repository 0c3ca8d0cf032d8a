#include "coll/coll.hpp"
#include "coll/part_transfer.hpp"
#include "coll/root.hpp"

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

// Few and small blocks travel in the cell all together, after a table of where each ends.
bool post_blocks(Round& round, const Blocks& blocks, int n)
{
  Count total = n;
  if (n > Cell::capacity) return false;
  for (int i = 0; i < n; ++i)
    if ((total += blocks[i].bytes()) > Cell::capacity) return false;
  round.post_data(total, [&](unsigned char* out) {
    Count end = 0;
    for (int i = 0; i < n; ++i) {
      const Part block = blocks[i];
      end += pack(block.address, block.count, *block.type, 0, out + n + end, Cell::capacity);
      out[i] = static_cast<unsigned char>(end);
    }
  });
  return true;
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
  const bool small = post_blocks(round, send, from.count);
  if (!small) round.post(&send);
  for (int k = 0; k < from.count; ++k) {
    // Each begins at another place, so that not all copy from one member at once.
    const int i = (comm.rank() + k) % from.count;
    const int member = from.first + i;
    const Cell& cell = round.await(member);
    if (cell.mode() == Mode::data)
      take_block(round, member, cell, comm.size(), comm.rank(), recv[i]);
    else
      transfer(round, member, (*round.args<const Blocks*>(member))[comm.rank()], recv[i]);
  }
  if (!comm.is_inter()) round.all_have_come();
  round.finish();
  if (!small) round.await_all_done();
}

}  // namespace ranklet::coll
