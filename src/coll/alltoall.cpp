#include "coll/by_last.hpp"
#include "coll/coll.hpp"
#include "coll/part_transfer.hpp"
#include "coll/root.hpp"
#include "coll/select.hpp"

namespace ranklet::coll {

namespace {

// Of each pair of members one exchanges the two blocks; the parity spreads the work evenly.
void alltoall_in_place(Communicator& comm, Round& round, const Blocks& blocks)
{
  const int me = round.me();
  round.post(&blocks);
  if (select::all_meet(comm)) round.meet();
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

// Where many share cores, and those who wait for all would run for each: the last member to come looks at all
// cells, and lists where the blocks of each are.
void alltoall_listed(Communicator& comm, Round& round, const Blocks& send, const Blocks& recv)
{
  const int n = comm.size();
  const Count block = send[0].bytes();
  post_part(round, send.all(n));
  const auto data = [&](int i) {
    const Cell& cell = round.await(i);
    if (cell.mode() != Mode::data) round.reject_kind(i, cell);
    const Copied given = cell.data();
    if (given.length != n * block) round.reject_amount(i, given.length, n * block);
    return given.bytes;
  };
  const auto look = [&] {
    for (int i = 0; i < n; ++i) data(i);
  };
  const Address* const all = addresses_in(round.made_by_last(
      bytes_of_addresses(n), look, [&](unsigned char* out) { list_addresses(n, data, out); }));
  const Count ours = comm.rank() * block;
  for (int i = 0; i < n; ++i) transfer(round, i, {all[i] + ours, block, &predefined(Basic::byte)}, recv[i]);
  round.all_have_come();
  round.finish();
}

// Between two members: each gives but the block that is for the other one.
void alltoall_exchanged(Communicator& comm, Round& round, select::Mutual way, const Blocks& send,
                        const Blocks& recv)
{
  const int me = comm.rank(), other = 1 - me;
  exchange_parts(
      round, way, send[other], [&](Found found) { round.post(&send, found); },
      [&] { transfer(round, me, send[me], recv[me]); }, [&] { return block_for_us(comm, round, other); },
      recv[other]);
}

}  // namespace

void alltoall(Communicator& comm, const Blocks& send, const Blocks& recv)
{
  const bool listed = !send.is_in_place() && select::lists_blocks(comm, send);
  Round round(comm, Collective::alltoall, listed ? CallSignature::by_last : 0);
  if (listed) return alltoall_listed(comm, round, send, recv);
  if (send.is_in_place()) return alltoall_in_place(comm, round, recv);
  if (select::may_swap(comm)) {
    const int other = 1 - comm.rank();
    const auto way = select::mutual(comm, send[other].bytes(), recv[other].bytes());
    if (way != select::Mutual::by_reference) return alltoall_exchanged(comm, round, way, send, recv);
  }
  const Peers from = peers(comm);
  const int n = from.count;
  const Count bytes = posted_bytes(send, n);
  const bool small = select::travels(comm, bytes);
  if (small)
    post_blocks(round, send, n, bytes);
  else
    round.post(&send);
  if (select::all_meet(comm)) round.meet();
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
