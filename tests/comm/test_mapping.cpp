#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "comm/harness.hpp"
#include "comm/mapping.hpp"

using namespace ranklet;
using comm::map_nodes;
using comm::Traffic;

namespace {

using Ints = std::vector<int>;

// The first ranks on the first cores, and so on.
std::vector<Place> by_core(const char* machine, int ranks)
{
  const Topology topology(machine);
  const auto& cores = topology.objects(Level::core);
  std::vector<Place> places;
  for (int i = 0; i < ranks; ++i)
    places.push_back(find_place(topology, cores[static_cast<std::size_t>(i) % cores.size()]));
  return places;
}

Traffic grid(int rows, int columns)
{
  Traffic traffic(rows * columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      if (i + 1 < rows) traffic.add(i * columns + j, (i + 1) * columns + j);
      if (j + 1 < columns) traffic.add(i * columns + j, i * columns + j + 1);
    }
  return traffic;
}

Ints identity(int nodes)
{
  Ints members(static_cast<std::size_t>(nodes));
  std::iota(members.begin(), members.end(), 0);
  return members;
}

bool is_choice(Ints members, int of)
{
  std::sort(members.begin(), members.end());
  return std::adjacent_find(members.begin(), members.end()) == members.end() &&
         (members.empty() || (members.front() >= 0 && members.back() < of));
}

// How many edges leave an object of the level.
int cut(const Traffic& traffic, const std::vector<Place>& places, const Ints& members, Level level)
{
  int edges = 0;
  for (int node = 0; node < traffic.nodes(); ++node)
    for (const auto& edge : traffic.neighbors(node))
      edges += places[static_cast<std::size_t>(members[static_cast<std::size_t>(node)])].object(level) !=
               places[static_cast<std::size_t>(members[static_cast<std::size_t>(edge.to)])].object(level);
  return edges / 2;
}

// If node i is members[i], who runs at places[members[i]].
std::int64_t cost(const Traffic& traffic, const std::vector<Place>& places, const Ints& members)
{
  const auto place = [&](int node) -> const Place& {
    return places[static_cast<std::size_t>(members[static_cast<std::size_t>(node)])];
  };
  std::int64_t sum = 0;
  for (int node = 0; node < traffic.nodes(); ++node)
    for (const auto& edge : traffic.neighbors(node))
      sum += edge.weight * comm::distance(place(node), place(edge.to));
  return sum;
}

}  // namespace

TEST_CASE("mapping: a grid is cut into blocks, one for each package")
{
  const std::vector<Place> places = by_core("package:4 core:4 pu:1", 16);
  const Traffic traffic = grid(4, 4);
  CHECK(cut(traffic, places, identity(16), Level::package) == 12);  // by rows
  const Ints members = map_nodes(traffic, places);
  CHECK(is_choice(members, 16));
  CHECK(cut(traffic, places, members, Level::package) == 8);
  CHECK(cost(traffic, places, members) < cost(traffic, places, identity(16)));
}

TEST_CASE("mapping: all levels count, the coarse ones most")
{
  const std::vector<Place> places = by_core("package:2 numa:2 l3:2 core:4 pu:1", 32);
  // Ranks that were spread over the machine, as --map-by scatter does.
  std::vector<Place> spread;
  for (std::size_t i = 0; i < 32; ++i) spread.push_back(places[(i % 8) * 4 + i / 8]);
  Traffic ring(32);
  for (int i = 0; i < 32; ++i) ring.add(i, (i + 1) % 32);
  const Ints members = map_nodes(ring, spread);
  CHECK(is_choice(members, 32));
  CHECK(cut(ring, spread, members, Level::package) == 2);
  CHECK(cut(ring, spread, members, Level::numa) == 4);
  CHECK(cut(ring, spread, members, Level::l3cache) == 8);
}

TEST_CASE("mapping: weights decide who is near whom")
{
  const std::vector<Place> places = by_core("package:2 core:2 pu:1", 4);
  Traffic traffic(4);
  traffic.add(0, 2, 100);
  traffic.add(1, 3, 100);
  traffic.add(0, 1, 3);
  traffic.add(2, 3, 3);
  const Ints members = map_nodes(traffic, places);
  CHECK(members[0] / 2 == members[2] / 2);
  CHECK(members[1] / 2 == members[3] / 2);
}

TEST_CASE("mapping: members that are left out are those far away")
{
  const std::vector<Place> all = by_core("package:2 core:4 pu:1", 8);
  const std::vector<Place> places = {all[0], all[4], all[1], all[5], all[2], all[6], all[3], all[7]};
  const Ints members = map_nodes(grid(2, 2), places);
  CHECK(is_choice(members, 8));
  CHECK(cut(grid(2, 2), places, members, Level::package) == 0);
}

TEST_CASE("mapping: the order stays where nothing is gained")
{
  // In place already.
  const std::vector<Place> places = by_core("package:4 core:4 pu:1", 16);
  Traffic chain(16);
  for (int i = 0; i < 15; ++i) chain.add(i, i + 1);
  CHECK(map_nodes(chain, places) == identity(16));
  // No traffic, or all alike.
  CHECK(map_nodes(Traffic(16), places) == identity(16));
  Traffic all(16);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < i; ++j) all.add(i, j);
  CHECK(map_nodes(all, places) == identity(16));
  // Nobody is pinned; everybody has the same core.
  const Topology machine("package:4 core:4 pu:1");
  const Place anywhere = find_place(machine, machine.allowed());
  CHECK(map_nodes(grid(4, 4), std::vector<Place>(16, anywhere)) == identity(16));
  CHECK(map_nodes(grid(4, 4), std::vector<Place>(16, places[3])) == identity(16));
  CHECK(map_nodes(Traffic(0), places).empty());
  CHECK(map_nodes(Traffic(1), std::vector<Place>(1, places[0])) == identity(1));
}

TEST_CASE("mapping: random graphs never cost more than before")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
  for (int round = 0; round < 50; ++round) {
    const int count = 1 + below(24), nodes = 1 + below(count);
    std::vector<Place> places = by_core("package:2 numa:2 core:4 pu:1", count);
    std::shuffle(places.begin(), places.end(), random);
    Traffic traffic(nodes);
    for (int i = below(4 * nodes); i > 0; --i) traffic.add(below(nodes), below(nodes), below(10));
    const Ints members = map_nodes(traffic, places);
    REQUIRE(members.size() == static_cast<std::size_t>(nodes));
    CHECK(is_choice(members, count));
    CHECK(cost(traffic, places, members) <= cost(traffic, places, identity(nodes)));
    CHECK(map_nodes(traffic, places) == members);
  }
}

TEST_CASE("reorder: grids get near neighbours, each member knows its own number")
{
  const std::vector<Place> places = by_core("package:4 core:4 pu:1", 16);
  test::run(
      16,
      [&](Rank& self, Communicator& world) {
        const Ints dims = {4, 4}, periods = {0, 0};
        const CommRef same = comm::cart_create(world, dims, periods, false);
        CHECK(same->rank() == world.rank());
        const CommRef grid = comm::cart_create(world, dims, periods, true);
        CHECK(comm::cart_map(world, dims, periods) == grid->rank());
        int far = 0;
        for (int node = 0; node < 16; ++node)
          for (const int next : {node % 4 < 3 ? node + 1 : node, node < 12 ? node + 4 : node})
            far += grid->peer(node).world_rank / 4 != grid->peer(next).world_rank / 4;
        CHECK(far == 8);
        CHECK(&grid->peer(grid->rank()) == &self);
        Ints coords(2);
        comm::cart_coords(*grid, grid->rank(), coords);
        CHECK(coords == grid->topology->coords);
      },
      places);
}

TEST_CASE("reorder: nodes of graphs keep their edges, whoever they are")
{
  const std::vector<Place> places = by_core("package:4 core:2 pu:1", 8);
  test::run(
      8,
      [&](Rank&, Communicator& world) {
        // Pairs that talk: 0-4, 1-5, 2-6, 3-7.
        Ints index, edges;
        for (int i = 0; i < 8; ++i) {
          edges.push_back((i + 4) % 8);
          index.push_back(i + 1);
        }
        const int me = world.rank(), other = (me + 4) % 8;
        const Ints neighbor = {other}, weight = {5}, source = {me}, degree = {1};
        const CommRef made[] = {
            comm::graph_create(world, index, edges, true),
            comm::dist_graph_create_adjacent(world, neighbor, weight, neighbor, weight, true, true),
            comm::dist_graph_create(world, source, degree, neighbor, weight, true, true),
        };
        CHECK(comm::graph_map(world, index, edges) == made[0]->rank());
        for (const CommRef& graph : made) {
          const int node = graph->rank();
          const Ints expected = {(node + 4) % 8};
          CHECK(graph->topology->destinations == expected);
          CHECK(graph->topology->sources == expected);
          CHECK(graph->peer(node).world_rank / 2 == graph->peer(expected[0]).world_rank / 2);
        }
        CHECK(made[1]->topology->destination_weights == weight);
        CHECK(made[2]->topology->source_weights == weight);
      },
      places);
}
