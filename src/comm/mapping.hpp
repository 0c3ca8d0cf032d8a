// Which member shall be which node of a topology, so that those who talk most run near each other: what
// `reorder` allows (MPI 5.0 §8.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/place.hpp"

namespace ranklet::comm {

// How much each node of a topology says to each other one.
class Traffic {
 public:
  struct Neighbor {
    int to;
    std::int64_t weight;
  };

  explicit Traffic(int nodes) : neighbors_(static_cast<std::size_t>(nodes)) {}

  // In either direction; edges of a node to itself and without weight do not count.
  void add(int from, int to, std::int64_t weight = 1);

  int nodes() const noexcept { return static_cast<int>(neighbors_.size()); }
  // Those of one node, each edge at both its ends.
  std::span<const Neighbor> neighbors(int node) const { return neighbors_[static_cast<std::size_t>(node)]; }

 private:
  std::vector<std::vector<Neighbor>> neighbors_;
};

// What a message of weight 1 costs between members that run there.
std::uint8_t distance(const Place& a, const Place& b);

// For each node the number of a member: 0, 1, 2, ... unless another order is found that costs less. There are
// at least as many places as nodes. The same on all ranks that give the same. Time: that of a fraction of a
// second at most.
std::vector<int> map_nodes(const Traffic& traffic, std::span<const Place> places);

}  // namespace ranklet::comm
