#include "coll/coll.hpp"
#include "coll/part_transfer.hpp"
#include "coll/root.hpp"
#include "coll/select.hpp"

namespace ranklet::coll {

void allgather(Communicator& comm, Part send, const Blocks& recv)
{
  Round round(comm, Collective::allgather, 0);
  const bool already_there = send.is_in_place();
  if (already_there) send = recv[comm.rank()];
  const bool small = select::travels(comm, send.bytes());
  if (small)
    post_part(round, send);
  else
    round.post(send);

  const Peers from = peers(comm);
  for (int k = 0; k < from.count; ++k) {
    // Each begins at another place, so that not all copy from one member at once.
    const int i = (comm.rank() + k) % from.count;
    const int member = from.first + i;
    if (member == round.me() && already_there) continue;
    const Cell& cell = round.await(member);
    if (cell.mode() == Mode::data)
      take_part(round, member, cell, recv[i]);
    else
      transfer(round, member, round.args<Part>(member), recv[i]);
  }
  if (!comm.is_inter()) round.all_have_come();
  round.finish();
  if (!small) round.await_all_done();
}

}  // namespace ranklet::coll
