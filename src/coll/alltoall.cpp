#include "coll/coll.hpp"
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

}  // namespace

void alltoall(Communicator& comm, const Blocks& send, const Blocks& recv)
{
  Round round(comm, Collective::alltoall, 0);
  if (send.is_in_place()) return alltoall_in_place(round, recv);
  const Peers from = peers(comm);
  const int n = from.count;
  const Count bytes = posted_bytes(send, n);
  const bool small = select::travels(comm, bytes);
  if (small)
    post_blocks(round, send, n, bytes);
  else
    round.post(&send);
  for (int k = 0; k < n; ++k) {
    // Each begins at another place, so that not all copy from one member at once.
    const int i = (comm.rank() + k) % n;
    const int member = from.first + i;
    transfer(round, member, block_for_us(comm, round, member), recv[i]);
  }
  if (!comm.is_inter()) round.all_have_come();
  round.finish();
  if (!small) round.await_all_done();
}

}  // namespace ranklet::coll
