#include "machine/core_pairs.hpp"

#include <algorithm>

namespace ranklet {

namespace {

struct Nearness {
  std::string_view name;
  Level level;
};
constexpr Nearness all_nearness[] = {
    {"same core", Level::core},      {"same L2", Level::l2cache},      {"same L3", Level::l3cache},
    {"same NUMA node", Level::numa}, {"same package", Level::package}, {"remote", Level::machine},
};

// The smallest thing that both are in.
std::string_view nearness(const Topology& topology, int a, int b)
{
  for (const Nearness& n : all_nearness) {
    if (!topology.shows(n.level)) continue;
    // hwloc shows at least one domain, which may be wider than a package.
    if (n.level == Level::numa && topology.objects(n.level).size() == 1) continue;
    for (const CpuSet& object : topology.objects(n.level))
      if (object.contains(a) && object.contains(b)) return n.name;
  }
  return "remote";
}

}  // namespace

std::vector<CorePair> core_pairs(const Topology& topology)
{
  std::vector<CorePair> pairs;
  const CpuSet& cpus = topology.allowed();
  for (const Nearness& wanted : all_nearness) {
    for (int a = cpus.first(); a >= 0; a = cpus.next(a)) {
      int b = cpus.next(a);
      while (b >= 0 && nearness(topology, a, b) != wanted.name) b = cpus.next(b);
      if (b < 0) continue;
      pairs.push_back({wanted.name, a, b});
      break;
    }
  }
  return pairs;
}

}  // namespace ranklet
