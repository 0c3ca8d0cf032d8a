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
  bool asks;   // whether it is new
};

// All copy at once. The root decides whether it takes a share of everybody's work.
void bcast_from(Communicator& comm, Round& round, const Part& data)
{
  if (leaves_early(comm)) {
    round.post(Source{lend(round, data), false, false});
    return round.finish();
  }
  const bool may_be_new = select::may_be_new(comm, data.bytes()) && data.type->is_contiguous();
  if (may_be_new && round.newness().is_expected() && round.can_copy_long()) {
    post_long_part(round, data);
    return round.finish();
  }
  const bool asks = may_be_new && round.newness().is_asked();
  const bool helps = select::root_helps(comm, data.bytes());
  round.post(Source{data, helps, asks});
  if (helps) {
    round.help_all();
    round.all_have_come();
  }
  round.finish();
  round.await_all_done();
  if (asks) round.newness().note(round.found_by(1 - round.me()));
}

// The root's cell answers all who look at it one after the other. So of each near group of many members the
// first one looks first, unless the root is near; where data is large the others look when the cell is near.
void await_first_of_group(Communicator& comm, Round& round, int root, bool travels)
{
  constexpr int seen = 1;
  const CommShared& shared = comm.shared();
  if (comm.is_inter() || select::barrier(shared.members(), shared.own_cores) != select::Barrier::by_groups)
    return;
  const NearGroups& near = state(comm).near_groups(shared);
  const int group = near.of[static_cast<std::size_t>(round.me())];
  if (group == near.of[static_cast<std::size_t>(root)]) return;
  const int first = near.groups[static_cast<std::size_t>(group)].front();
  if (first != round.me()) {
    if (!travels) round.hear_phase(first, seen);
    return;
  }
  // Whatever size it is for us: others may expect another one.
  round.await(root);
  round.reach(seen);
}

}  // namespace

void bcast(Communicator& comm, Part data, int root)
{
  const Role mine = role(comm, root);
  Round round(comm, Collective::bcast, compared_root(comm, root));
  const bool travels = select::travels(comm, data.bytes());
  if (mine.is_root) {
    if (!travels) return bcast_from(comm, round, data);
    post_part(round, data);
  } else if (mine.takes_part) {
    await_first_of_group(comm, round, mine.root, travels);
    const Cell& cell = round.await(mine.root);
    if (cell.mode() == Mode::data) {
      take_part(round, mine.root, cell, data);
    } else {
      const Source& source = round.args<Source>(mine.root);
      check_amount(round, mine.root, source.part.bytes(), data);
      const Found found = source.asks ? find_out(source.part.address, source.part.bytes()) : Found::nothing;
      if (source.helps)
        round.copy_with(mine.root, source.part, data);
      else
        transfer(round, mine.root, source.part, data);
      if (source.asks) round.say_found(found);
    }
    if (round.members() == 2) round.all_have_come();
  }
  round.finish();
}

}  // namespace ranklet::coll
