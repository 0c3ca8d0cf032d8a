#include "coll/coll.hpp"
#include "coll/root.hpp"
#include "coll/transfer.hpp"

namespace ranklet::coll {

namespace {

// Exchanges the data of two parts of equal size.
void swap_parts(Round& round, int member, const Part& a, const Part& b)
{
  if (a.bytes() != b.bytes()) round.reject_size(member);
  constexpr Count chunk = 16384;
  char first[chunk], second[chunk];
  for (Count offset = 0; offset < a.bytes(); offset += chunk) {
    const Count bytes = pack(a.address, a.count, *a.type, offset, first, chunk);
    pack(b.address, b.count, *b.type, offset, second, bytes);
    unpack(a.address, a.count, *a.type, offset, second, bytes);
    unpack(b.address, b.count, *b.type, offset, first, bytes);
  }
}

// Of each pair of members one exchanges the two blocks; the parity spreads the work evenly.
void alltoall_in_place(Round& round, const Blocks& blocks)
{
  const int me = round.me();
  round.post(&blocks);
  for (int k = 1; k < round.members(); ++k) {
    const int other = (me + k) % round.members();
    const bool mine = ((me + other) % 2 == 0) == (me < other);
    const Blocks& theirs = *round.args<const Blocks*>(other);
    if (mine) swap_parts(round, other, blocks[other], theirs[me]);
  }
  round.all_have_come();
  round.finish();
  round.await_all_done();
}

}  // namespace

void alltoall(Communicator& comm, const Blocks& send, const Blocks& recv)
{
  Round round(comm, Call::alltoall, 0);
  if (send.is_in_place()) return alltoall_in_place(round, recv);
  round.post(&send);
  const Peers from = peers(comm);
  for (int k = 0; k < from.count; ++k) {
    // Each begins at another place, so that not all copy from one member at once.
    const int i = (comm.rank() + k) % from.count;
    const int member = from.first + i;
    transfer(round, member, (*round.args<const Blocks*>(member))[comm.rank()], recv[i]);
  }
  if (!comm.is_inter()) round.all_have_come();
  round.finish();
  round.await_all_done();
}

}  // namespace ranklet::coll
