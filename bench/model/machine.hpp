// The machine that the model plays: what its accesses cost, and how far its cores are from each other.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ranklet::model {

// What bench/model/calibration.cpp measures on two cores; nanoseconds. The defaults are round figures of a
// near pair.
struct Costs {
  double fetch = 30;       // a read of a line that a core at distance 1 has, alone
  double invalidate = 20;  // taking the line from a core at distance 1
  double work = 1;         // an access that finds its line, and the instructions around it
  double look = 1.5;       // beside it an atomic load: what follows waits for the word
  double uneven = 5;       // up to so much more, at random, before a store; not measured
  double update = 5;       // a read-modify-write or a full fence, in one's own cache
  double pause = 15;       // between two looks of a spin loop
  double yield = 300;
  double membarrier = 2000;
  double service = 3;           // after which a line that is read by many answers the next of them
  double in_flight = 8;         // reads that miss that a core has under way at once
  double stores_in_flight = 4;  // and lines that it takes for its stores
  double run = 6;               // consecutive lines that are read before the next ones are fetched ahead,
  double ahead = 7;             // and how many are after 8 of them
  double hold = 10;             // how long a core has a line alone before the next one gets it
  double request = 0.3;         // the part of a transfer that passes while the line is not free yet
  bool moves = true;            // who reads a line that another core has written gets it alone
  bool early = true;            // stores and read-modify-writes ask for their lines before it is their turn
  double l3_link = 1;           // between two lines that come into an L3
  double package_link = 0.4;    // and into a package
};

// How near two cores are: the smallest thing that both are in.
enum class Nearness : std::uint8_t { same, l2, l3, numa, package, remote };
inline constexpr int nearnesses = 6;

// In hops: how many times farther than the pair that was measured, which shares an L3.
using Distances = std::array<double, nearnesses>;
inline constexpr Distances usual_distances{0, 0.6, 1, 2.5, 3, 5};

struct Machine {
  // By an hwloc description, "package:2 numa:4 l3:2 core:8 pu:1".
  static Machine synthetic(const std::string& description, const Costs& costs = {},
                           const Distances& distances = usual_distances);
  // `cores` of one L3.
  static Machine flat(int cores, const Costs& costs = {});

  Nearness nearness(int a, int b) const { return near[static_cast<std::size_t>(a * cores + b)]; }
  double distance(int a, int b) const { return distances[static_cast<std::size_t>(nearness(a, b))]; }

  // The first core of the L3, or of the package, that core i is in.
  int l3_of(int i) const { return first_within(i, Nearness::l3); }
  int package_of(int i) const { return first_within(i, Nearness::package); }

  int cores = 0;
  Costs costs;
  Distances distances = usual_distances;
  std::vector<Nearness> near;  // row by row

 private:
  int first_within(int i, Nearness most) const
  {
    for (int k = 0; k < i; ++k)
      if (nearness(i, k) <= most) return k;
    return i;
  }
};

}  // namespace ranklet::model
