#include "bounds.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ranklet::model {

namespace {

double farthest(const Machine& machine, int ranks)
{
  double most = 0;
  for (int i = 1; i < ranks; ++i) most = std::max(most, machine.distance(0, i));
  return most;
}

double hop(const Costs& costs, double distance)
{
  return distance * (costs.invalidate + costs.fetch);
}

// Steps of doubling inside each level, then between its parts.
double doubling(const Machine& machine, int ranks)
{
  double ns = 0;
  int before = 1;
  for (int level = 1; level < nearnesses; ++level) {
    int inside = 0;
    for (int i = 0; i < ranks; ++i) inside += static_cast<int>(machine.nearness(0, i)) <= level;
    const double parts = static_cast<double>(inside) / before;
    if (parts <= 1) continue;
    ns +=
        std::ceil(std::log2(parts)) * hop(machine.costs, machine.distances[static_cast<std::size_t>(level)]);
    before = inside;
  }
  return ns;
}

// Lines that others have, fetched as fast as a core can; `nearest`: somebody near has them by then.
double fetching(const Machine& machine, int ranks, double lines, bool nearest)
{
  double distances = 0;
  for (int i = 1; i < ranks; ++i) distances += nearest ? machine.distance(0, 1) : machine.distance(0, i);
  return lines * distances / (ranks - 1) * machine.costs.fetch / machine.costs.in_flight;
}

}  // namespace

Bounds synchronising(const Machine& machine, int ranks)
{
  const double far = hop(machine.costs, farthest(machine, ranks));
  return {far + fetching(machine, ranks, ranks - 2, false), doubling(machine, ranks)};
}

Bounds spreading(const Machine& machine, int ranks)
{
  return {hop(machine.costs, farthest(machine, ranks)) + (ranks - 2) * machine.costs.service,
          doubling(machine, ranks)};
}

Bounds gathering(const Machine& machine, int ranks)
{
  return {synchronising(machine, ranks).flat,
          doubling(machine, ranks) + fetching(machine, ranks, ranks / 8.0, true)};
}

Bounds large_bcast(const Machine& machine, int ranks)
{
  return {hop(machine.costs, farthest(machine, ranks)) + fetching(machine, ranks, 256, false),
          doubling(machine, ranks) + fetching(machine, ranks, 256, true)};
}

Bounds large_allreduce(const Machine& machine, int ranks)
{
  // Each reads its slice of all vectors, and then the other slices of the result.
  const double lines = 2 * 256.0 * (ranks - 1) / ranks;
  return {synchronising(machine, ranks).flat + fetching(machine, ranks, lines, false),
          2 * doubling(machine, ranks) + fetching(machine, ranks, lines, true)};
}

Bounds large_allgather(const Machine& machine, int ranks)
{
  const double lines = 16.0 * (ranks - 1);
  return {synchronising(machine, ranks).flat + fetching(machine, ranks, lines, false),
          doubling(machine, ranks) + fetching(machine, ranks, lines, true)};
}

std::string usual_topology(int cores)
{
  const auto levels = [](int packages, int domains, int caches, int inside) {
    return "package:" + std::to_string(packages) + " numa:" + std::to_string(domains) +
           " l3:" + std::to_string(caches) + " core:" + std::to_string(inside) + " pu:1";
  };
  if (cores <= 8) return levels(1, 1, 1, cores);
  if (cores % 8 != 0) throw std::invalid_argument("more than 8 cores come in eights");
  if (cores <= 16) return levels(1, 1, cores / 8, 8);
  if (cores % 16 != 0) throw std::invalid_argument("more than 16 cores come in sixteens");
  if (cores < 128) return levels(1, cores / 16, 2, 8);
  return levels(2, cores / 32, 2, 8);
}

}  // namespace ranklet::model
