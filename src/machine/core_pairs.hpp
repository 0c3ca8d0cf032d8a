// How near two hardware threads are, and one pair for each nearness that this machine has: what a measurement
// between cores must tell apart.
#pragma once

#include <string_view>
#include <vector>

#include "machine/topology.hpp"

namespace ranklet {

struct CorePair {
  std::string_view nearness;  // "same core", "same L2", "same L3", "same NUMA node", "same package", "remote"
  int first, second;          // hardware threads, by the operating system's numbers
};

// From the nearest to the farthest, among the allowed hardware threads; none if there is only one.
std::vector<CorePair> core_pairs(const Topology& topology);

}  // namespace ranklet
