#include "coll/coll.hpp"
#include "coll/round.hpp"
#include "coll/select.hpp"
#include "terms/error.hpp"

namespace ranklet::coll {

namespace {

// Everybody looks at everybody: one hop.
void barrier_flat(Communicator& comm, Collective call)
{
  Round round(comm, call, 0);
  round.post_nothing();
  members::each_from(round.me(), round.members(), [&](int i) { round.await(i); });
  round.all_have_come();
  round.finish();
}

// Where all have come, but nobody has looked at cells: whether the calls before were the same, too.
void compare_with_neighbor(Round& round)
{
  round.await((round.me() + 1) % round.members());
}

// In each group of near members the first one hears of the others, then of the other groups' first ones, and
// tells its group: far lines move between few.
void barrier_by_groups(Communicator& comm, Collective call)
{
  constexpr int here = 1, everywhere = 2;  // of whom a group's first member has heard
  Round round(comm, call, 0);
  round.post_nothing();
  const NearGroups& near = state(comm).near_groups(comm.shared());
  const auto& groups = near.groups;
  const auto mine = near.of[static_cast<std::size_t>(round.me())];
  const auto members_of = [&](int group) -> auto&
  {
    return groups[static_cast<std::size_t>(group)];
  };
  const int first = members_of(mine).front(), count = static_cast<int>(groups.size());
  if (round.me() == first) {
    for (const int member : members_of(mine)) round.await(member);
    round.tell(here);
    members::each_from(mine, count, [&](int group) { round.await_told(members_of(group).front(), here); });
    round.reach(everywhere);
    round.await(members_of((mine + 1) % count).front());
  } else {
    round.await_phase(first, everywhere);
    round.await(first);
  }
  round.all_have_come();
  round.finish();
}

// All count themselves in and the last one opens: nobody runs twice.
void barrier_counter(Communicator& comm, Collective call)
{
  Round round(comm, call, 0);
  round.post_nothing();
  if (round.comes_last()) round.let_go();
  compare_with_neighbor(round);
  round.all_have_come();
  round.finish();
}

void meet_all(Communicator& comm, Collective call)
{
  switch (select::barrier(comm.shared().members(), comm.shared().own_cores)) {
    case select::Barrier::flat:
      return barrier_flat(comm, call);
    case select::Barrier::by_groups:
      return barrier_by_groups(comm, call);
    case select::Barrier::counter:
      return barrier_counter(comm, call);
  }
}

}  // namespace

void note_new_communicator(Communicator& comm)
{
  Round round(comm, Collective::new_communicator, 0);
  round.post_nothing();
  round.finish();
}

void barrier(Communicator& comm)
{
  meet_all(comm, Collective::barrier);
}

bool members_look_at_all(const Communicator& comm)
{
  return select::barrier(comm.shared().members(), comm.shared().own_cores) == select::Barrier::flat;
}

void finalize(Communicator& world)
{
  meet_all(world, Collective::finalize);
}

}  // namespace ranklet::coll
