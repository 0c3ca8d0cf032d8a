// What a subject costs: on the simulated machine and on the real one.
#pragma once

#include <algorithm>
#include <memory>

#include "machine.hpp"
#include "real.hpp"
#include "simulated.hpp"

namespace ranklet::model {

// Of one operation.
struct Figure {
  double ns = 0;
  Traffic traffic;
};

// The difference of a long and a short run, so that beginning and end do not count.
template <template <class> class Subject>
Figure simulate(const Machine& machine, int ranks, int rounds = 4, int warm = 2)
{
  double times[2] = {}, factor = 1;
  Traffic traffic[2];
  for (int run = 0; run < 2; ++run) {
    Simulation simulation(machine, ranks);
    const auto subject = std::make_unique<Subject<Simulated>>(ranks);
    const int length = warm + run * rounds;
    simulation.run([&](int me) { subject->run(me, length); });
    times[run] = simulation.time();
    traffic[run] = simulation.traffic();
    factor = subject->per_round / rounds;
  }
  return {(times[1] - times[0]) * factor,
          {(traffic[1].fetches - traffic[0].fetches) * factor,
           (traffic[1].invalidations - traffic[0].invalidations) * factor,
           (traffic[1].hops - traffic[0].hops) * factor}};
}

// Nanoseconds of one operation between two real cores, for about a millisecond.
template <template <class> class Subject>
double measure(double expected_ns)
{
  const auto subject = std::make_unique<Subject<memmodel::Native>>(2);
  const int rounds = std::clamp(static_cast<int>(5e5 * subject->per_round / (expected_ns + 1)), 20, 20'000);
  return time_of_two([&](int me) { subject->run(me, rounds); }) / rounds * subject->per_round;
}

}  // namespace ranklet::model
