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

// In step k each member tells the one 2^k places on, and hears from the one 2^k places before, that it has
// heard of 2^k members: after ceil(log2 n) steps everybody has heard of all.
void barrier_dissemination(Communicator& comm, Collective call)
{
  Round round(comm, call, 0);
  round.post_nothing();
  const int n = round.members();
  int phase = 0;
  for (int distance = 1; distance < n; distance *= 2) {
    round.reach(++phase);
    round.await_phase((round.me() - distance + n) % n, phase);
  }
  compare_with_neighbor(round);
  round.all_have_come();
  round.finish();
}

// All count themselves in and the last one opens: nobody runs twice (members/counted_barrier.hpp).
void barrier_counter(Communicator& comm, Collective call)
{
  Round round(comm, call, 0);
  round.post_nothing();
  auto& counted = state(comm).barrier;
  if (!counted.arrive(round.number(), round.members())) {
    try {
      round.wait_for(Round::anybody, counted.parking, [&] { return counted.is_open(round.number()); });
    } catch (const Error&) {
      counted.withdraw(round.number());
      throw;
    }
  }
  compare_with_neighbor(round);
  round.all_have_come();
  round.finish();
}

void meet_all(Communicator& comm, Collective call)
{
  switch (select::barrier(comm.shared().members(), comm.shared().own_cores)) {
    case select::Barrier::flat:
      return barrier_flat(comm, call);
    case select::Barrier::dissemination:
      return barrier_dissemination(comm, call);
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

void finalize(Communicator& world)
{
  meet_all(world, Collective::finalize);
}

}  // namespace ranklet::coll
