#include "machine/place.hpp"

namespace ranklet {

Place find_place(const Topology& topology, const CpuSet& cpus)
{
  Place place;
  place.objects.fill(-1);
  for (int level = 0; level < level_count; ++level) {
    const std::vector<CpuSet>& objects = topology.objects(static_cast<Level>(level));
    for (std::size_t i = 0; i < objects.size(); ++i) {
      CpuSet outside = cpus;
      outside -= objects[i];
      if (!outside.empty()) continue;
      place.objects[static_cast<std::size_t>(level)] = static_cast<int>(i);
      break;
    }
  }
  return place;
}

}  // namespace ranklet
