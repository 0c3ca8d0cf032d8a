// Where a rank runs, as far as other ranks care: which of the machine's objects it stays in.
#pragma once

#include <array>

#include "machine/topology.hpp"

namespace ranklet {

inline constexpr int level_count = static_cast<int>(Level::machine) + 1;

struct Place {
  // By level, the number in Topology::objects of the object that holds all CPUs that the rank may run on; -1
  // if it moves between several.
  std::array<int, level_count> objects;

  int object(Level level) const noexcept { return objects[static_cast<std::size_t>(level)]; }
  friend bool operator==(const Place&, const Place&) = default;
};

Place find_place(const Topology& topology, const CpuSet& cpus);

}  // namespace ranklet
