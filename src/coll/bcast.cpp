#include "coll/coll.hpp"
#include "coll/root.hpp"
#include "coll/select.hpp"
#include "coll/transfer.hpp"

namespace ranklet::coll {

void bcast(Communicator& comm, Part data, int root)
{
  const Role mine = role(comm, root);
  Round round(comm, Call::bcast, compared_root(comm, root));
  if (mine.is_root) {
    if (select::travels_in_cell(data.bytes())) {
      post_part(round, data);
      round.finish();
    } else {
      round.post(data);
      round.finish();
      round.await_all_done();
    }
    return;
  }
  if (mine.takes_part) {
    // The root decides how the data travels. All copy at once.
    const Cell& cell = round.await(mine.root);
    if (cell.mode == Mode::data)
      take_part(round, mine.root, cell, data);
    else
      transfer(round, mine.root, round.args<Part>(mine.root), data);
  }
  round.finish();
}

}  // namespace ranklet::coll
