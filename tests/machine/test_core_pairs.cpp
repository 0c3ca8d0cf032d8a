#include <doctest/doctest.h>

#include <string>

#include "machine/core_pairs.hpp"

using namespace ranklet;

namespace {

std::string pairs(const Topology& topology)
{
  std::string text;
  for (const CorePair& p : core_pairs(topology))
    text += std::string(p.nearness) + " " + std::to_string(p.first) + "," + std::to_string(p.second) + "; ";
  return text;
}

}  // namespace

TEST_CASE("one pair for each nearness, from the nearest to the farthest")
{
  CHECK(pairs(Topology("package:2 numa:2 l3:2 l2:2 core:2 pu:2")) ==
        "same core 0,1; same L2 0,2; same L3 0,4; same NUMA node 0,8; same package 0,16; remote 0,32; ");
}

TEST_CASE("levels that the machine does not have, or that are the same, are left out")
{
  CHECK(pairs(Topology("package:1 l3:1 l2:2 core:1 pu:1")) == "same L3 0,1; ");
  CHECK(pairs(Topology("package:2 core:2 pu:1")) == "same package 0,1; remote 0,2; ");
  CHECK(pairs(Topology("package:1 core:1 pu:1")) == "");
}

TEST_CASE("only allowed hardware threads take part")
{
  CpuSet allowed;
  allowed.add(1);
  allowed.add(3);
  CHECK(pairs(Topology("package:1 l3:1 core:2 pu:2", &allowed)) == "same L3 1,3; ");
}
