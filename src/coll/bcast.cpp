#include "coll/coll.hpp"
#include "coll/lend.hpp"
#include "coll/part_transfer.hpp"
#include "coll/root.hpp"
#include "coll/select.hpp"

namespace ranklet::coll {

namespace {

struct Source {
  Part part;
  bool helps;  // the root copies, too
};

// All copy at once. The root decides whether it takes a share of everybody's work.
void bcast_from(Communicator& comm, Round& round, const Part& data)
{
  if (leaves_early(comm)) {
    round.post(Source{lend(round, data), false});
    return round.finish();
  }
  const bool helps = select::root_helps(comm, data.bytes());
  round.post(Source{data, helps});
  if (helps) {
    round.help_all();
    round.all_have_come();
  }
  round.finish();
  round.await_all_done();
}

}  // namespace

void bcast(Communicator& comm, Part data, int root)
{
  const Role mine = role(comm, root);
  Round round(comm, Collective::bcast, compared_root(comm, root));
  if (mine.is_root) {
    if (!select::travels(comm, data.bytes())) return bcast_from(comm, round, data);
    post_part(round, data);
  } else if (mine.takes_part) {
    const Cell& cell = round.await(mine.root);
    if (cell.mode() == Mode::data) {
      take_part(round, mine.root, cell, data);
    } else {
      const Source& source = round.args<Source>(mine.root);
      check_amount(round, mine.root, source.part.bytes(), data);
      if (source.helps)
        round.copy_with(mine.root, source.part, data);
      else
        transfer(round, mine.root, source.part, data);
    }
  }
  round.finish();
}

}  // namespace ranklet::coll
