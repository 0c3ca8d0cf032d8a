#include "coll/coll.hpp"
#include "coll/lend.hpp"
#include "coll/part_transfer.hpp"
#include "coll/root.hpp"
#include "coll/select.hpp"

namespace ranklet::coll {

namespace {

// Takes what travels in cells; all else the members put into the blocks themselves, at once.
void gather_at_root(Communicator& comm, Round& round, const Part& send, const Blocks& recv)
{
  round.post(&recv);
  if (!comm.is_inter() && !send.is_in_place()) transfer(round, round.me(), send, recv[comm.rank()]);
  const Peers from = peers(comm);
  bool is_used = false;  // whether members look at our blocks
  int differing = -1;    // the last member that gives another amount
  Count given = 0, wanted = 0;
  for (int i = 0; i < from.count; ++i) {
    const int member = from.first + i;
    if (member == round.me()) continue;
    const Cell& cell = round.await(member);
    const Part block = recv[i];
    is_used |= cell.mode() != Mode::data && !leaves_early(comm);
    const Count bytes = cell.mode() == Mode::data ? cell.data().length : round.args<Part>(member).bytes();
    if (bytes != block.bytes())
      differing = member, given = bytes, wanted = block.bytes();
    else if (cell.mode() == Mode::data)
      take_part(round, member, cell, block);
    else if (leaves_early(comm))
      transfer(round, member, round.args<Part>(member), block);
  }
  if (!comm.is_inter()) round.all_have_come();
  round.finish();
  if (is_used) round.await_all_done();
  if (differing >= 0) round.reject_amount(differing, given, wanted);
}

}  // namespace

void gather(Communicator& comm, Part send, const Blocks& recv, int root)
{
  const Role mine = role(comm, root);
  Round round(comm, Collective::gather, compared_root(comm, root));
  if (mine.is_root) {
    gather_at_root(comm, round, send, recv);
  } else if (mine.takes_part && select::travels_to_root(comm, send.bytes())) {
    post_part(round, send);
    round.finish();
  } else if (mine.takes_part && leaves_early(comm)) {
    round.post(lend(round, send));
    round.finish();
  } else if (mine.takes_part) {
    round.post(send);
    const Part block = (*round.args<const Blocks*>(mine.root))[comm.rank()];
    // The root sees and reports it when the block is of another size.
    if (send.bytes() == block.bytes()) transfer(round, round.me(), send, block);
    round.finish();
    // The root looks at our size.
    round.await_done(mine.root);
  } else {
    round.finish();
  }
}

}  // namespace ranklet::coll
