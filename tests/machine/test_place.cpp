#include <doctest/doctest.h>

#include "machine/cpus.hpp"
#include "ranks/ranks.hpp"

using namespace ranklet;
using test::cpus;

TEST_CASE("places: the objects that hold a rank's CPUs, as far as there is one")
{
  const Topology machine("package:2 numa:1 l3:2 l2:2 l1:1 core:1 pu:2");  // 16 CPUs
  const Place a = find_place(machine, cpus({0, 1})), b = find_place(machine, cpus({2})),
              c = find_place(machine, cpus({4})), d = find_place(machine, cpus({15}));
  CHECK(a.object(Level::hwthread) == -1);
  CHECK(a.object(Level::core) == 0);
  CHECK(b.object(Level::hwthread) == 2);
  CHECK(d.object(Level::core) == 7);
  CHECK(d.object(Level::l3cache) == 3);
  CHECK(d.object(Level::package) == 1);
  CHECK(a.object(Level::l3cache) == b.object(Level::l3cache));
  CHECK(c.object(Level::l3cache) == 1);
  CHECK(c.object(Level::package) == 0);
  CHECK(a == find_place(machine, cpus({1, 0})));
  const Place anywhere = find_place(machine, machine.allowed());
  CHECK(anywhere.object(Level::package) == -1);
  CHECK(anywhere.object(Level::machine) == 0);
}
