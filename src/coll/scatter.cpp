#include "coll/coll.hpp"
#include "coll/lend.hpp"
#include "coll/part_transfer.hpp"
#include "coll/root.hpp"
#include "coll/select.hpp"

namespace ranklet::coll {

void scatter(Communicator& comm, const Blocks& send, Part recv, int root)
{
  const Role mine = role(comm, root);
  Round round(comm, Collective::scatter, compared_root(comm, root));
  if (mine.is_root) {
    const int n = peers(comm).count;
    const Count bytes = posted_bytes(send, n);
    const bool small = select::travels(comm, bytes);
    const bool early = leaves_early(comm) || small;
    if (small)
      post_blocks(round, send, n, bytes);
    else
      round.post(early ? lend(round, send, n) : &send);
    if (!comm.is_inter() && !recv.is_in_place()) transfer(round, round.me(), send[comm.rank()], recv);
    round.finish();
    if (!early) round.await_all_done();
    return;
  }
  // All take their block at once.
  if (mine.takes_part) transfer(round, mine.root, block_for_us(comm, round, mine.root), recv);
  round.finish();
}

}  // namespace ranklet::coll
