#include "machine.hpp"

#include <algorithm>

#include "machine/topology.hpp"

namespace ranklet::model {

namespace {

struct Step {
  Level level;
  Nearness nearness;
};
constexpr Step steps[] = {{Level::l2cache, Nearness::l2},
                          {Level::l3cache, Nearness::l3},
                          {Level::numa, Nearness::numa},
                          {Level::package, Nearness::package}};

bool share(const Topology& topology, Level level, int a, int b)
{
  const auto& objects = topology.objects(level);
  return std::any_of(objects.begin(), objects.end(),
                     [&](const CpuSet& object) { return object.contains(a) && object.contains(b); });
}

}  // namespace

Machine Machine::synthetic(const std::string& description, const Costs& costs, const Distances& distances)
{
  const Topology topology(description);
  const auto& cores = topology.objects(Level::core);
  Machine machine;
  machine.cores = static_cast<int>(cores.size());
  machine.costs = costs;
  machine.distances = distances;
  for (int a = 0; a < machine.cores; ++a)
    for (int b = 0; b < machine.cores; ++b) {
      const int first = cores[static_cast<std::size_t>(a)].first();
      const int second = cores[static_cast<std::size_t>(b)].first();
      Nearness nearness = a == b ? Nearness::same : Nearness::remote;
      for (const Step& step : steps) {
        if (nearness != Nearness::remote) break;
        // A description without L2 or L3 says that cores have theirs alone.
        if (topology.shows(step.level) && share(topology, step.level, first, second))
          nearness = step.nearness;
      }
      machine.near.push_back(nearness);
    }
  return machine;
}

Machine Machine::flat(int cores, const Costs& costs)
{
  Machine machine;
  machine.cores = cores;
  machine.costs = costs;
  for (int a = 0; a < cores; ++a)
    for (int b = 0; b < cores; ++b) machine.near.push_back(a == b ? Nearness::same : Nearness::l3);
  return machine;
}

}  // namespace ranklet::model
