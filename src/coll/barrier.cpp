#include "coll/coll.hpp"
#include "coll/round.hpp"
#include "coll/select.hpp"

namespace ranklet::coll {

namespace {

// Everybody looks at everybody: one hop.
void barrier_flat(Communicator& comm)
{
  Round round(comm, Call::barrier, 0);
  round.post_data(0, [](void*) {});
  for (int i = 0; i < round.members(); ++i) round.await(i);
  round.all_have_come();
  round.finish();
}

// In step k each member tells the one 2^k places on, and hears from the one 2^k places before, that it has
// heard of 2^k members: after ceil(log2 n) steps everybody has heard of all.
void barrier_dissemination(Communicator& comm)
{
  Round round(comm, Call::barrier, 0);
  const int n = round.members();
  int phase = 0;
  for (int distance = 1; distance < n; distance *= 2) {
    round.reach(++phase);
    round.await_phase((round.me() - distance + n) % n, phase);
  }
  round.all_have_come();
  round.finish();
}

// All count themselves in and the last one opens: nobody runs twice.
void barrier_counter(Communicator& comm)
{
  Round round(comm, Call::barrier, 0);
  CommState& shared = state(comm);
  const int n = round.members();
  // The number of barriers of this kind so far gives the generation: all members have the same.
  const std::int64_t come = shared.arrivals.add(1);
  const auto generation = static_cast<std::uint64_t>((come + n - 1) / n);
  if (come % n == 0) {
    shared.released.publish(generation);
    shared.barrier_parking.notify();
  } else {
    wait_until(comm.self(), shared.barrier_parking, [&] { return shared.released.value() >= generation; });
  }
  round.all_have_come();
  round.finish();
}

}  // namespace

void barrier(Communicator& comm)
{
  const bool own_cores = comm.self().job.options().wait.spins > 0;
  switch (select::barrier(comm.shared().members(), own_cores)) {
    case select::Barrier::flat:
      return barrier_flat(comm);
    case select::Barrier::dissemination:
      return barrier_dissemination(comm);
    case select::Barrier::counter:
      return barrier_counter(comm);
  }
}

}  // namespace ranklet::coll
