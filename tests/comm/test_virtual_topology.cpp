#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "comm/harness.hpp"
#include "terms/error.hpp"

using namespace ranklet;

namespace {

using Ints = std::vector<int>;

template <class Action>
ErrorClass outcome(Action action)
{
  try {
    action();
  } catch (const Error& error) {
    return error.error_class();
  }
  return ErrorClass::success;
}

Ints dims_for(int nodes, Ints dims)
{
  comm::dims_create(nodes, dims);
  return dims;
}

// The criterion, by trying all divisions.
Ints most_equal(int nodes, std::size_t dims)
{
  const auto unevenness = [&](const Ints& division) {
    int surface = 0;
    for (const int dim : division) surface += nodes / dim;
    return std::pair(division.front() - division.back(), surface);
  };
  Ints best, current(dims);
  const auto search = [&](const auto& self, std::size_t i, int rest) -> void {
    if (i == dims) {
      if (rest == 1 && std::is_sorted(current.rbegin(), current.rend()) &&
          (best.empty() || unevenness(current) < unevenness(best)))
        best = current;
      return;
    }
    for (int factor = 1; factor <= rest; ++factor) {
      if (rest % factor) continue;
      current[i] = factor;
      self(self, i + 1, rest / factor);
    }
  };
  search(search, 0, nodes);
  return best;
}

}  // namespace

TEST_CASE("dims_create: the most equal division, not increasing, around what is given")
{
  for (std::size_t dims = 1; dims <= 4; ++dims)
    for (int nodes = 1; nodes <= 128; ++nodes)
      CHECK(dims_for(nodes, Ints(dims, 0)) == most_equal(nodes, dims));
  CHECK(dims_for(5040, Ints(3, 0)) == Ints{21, 16, 15});
  CHECK(dims_for(420, Ints(2, 0)) == Ints{21, 20});
  CHECK(dims_for(432, Ints(3, 0)) == Ints{9, 8, 6});
  CHECK(dims_for(1800, Ints(4, 0)) == Ints{9, 8, 5, 5});
  CHECK(dims_for(6, {0, 3, 0}) == Ints{2, 3, 1});
  CHECK(dims_for(7, {0, 0}) == Ints{7, 1});
  CHECK(dims_for(2147483647, {0, 0}) == Ints{2147483647, 1});
  // The number with the most divisors, and many dimensions: the search must not try everything.
  CHECK(dims_for(1 << 30, Ints(15, 0)) == Ints(15, 4));
  const Ints many = dims_for(2095133040, Ints(8, 0));
  CHECK(std::accumulate(many.begin(), many.end(), 1, std::multiplies<>()) == 2095133040);
  CHECK(dims_for(6, {6}) == Ints{6});
  CHECK(outcome([] { dims_for(7, {0, 3, 0}); }) == ErrorClass::dims);
  CHECK(outcome([] { dims_for(6, {3}); }) == ErrorClass::dims);
  CHECK(outcome([] { dims_for(6, {-1, 0}); }) == ErrorClass::dims);
  CHECK(outcome([] { dims_for(0, {0}); }) == ErrorClass::arg);
}

TEST_CASE("Cartesian grids: ranks, coordinates, shifts")
{
  test::run(7, [](Rank&, Communicator& world) {
    const CommRef grid = comm::cart_create(world, Ints{3, 2}, Ints{1, 0});
    CHECK(static_cast<bool>(grid) == (world.rank() < 6));
    if (!grid) return;
    const int me = grid->rank();
    CHECK(grid->size() == 6);
    Ints coords(2);
    for (int i = 0; i < 6; ++i) {
      comm::cart_coords(*grid, i, coords);
      CHECK(coords == Ints{i / 2, i % 2});
      CHECK(comm::cart_rank(*grid, coords) == i);
    }
    CHECK(comm::cart_rank(*grid, Ints{-1, 1}) == 5);
    CHECK(comm::cart_rank(*grid, Ints{7, 0}) == 2);
    CHECK(outcome([&] { comm::cart_rank(*grid, Ints{0, 2}); }) == ErrorClass::rank);
    int from, to;
    comm::cart_shift(*grid, 0, 1, &from, &to);
    CHECK(from == (me + 4) % 6);
    CHECK(to == (me + 2) % 6);
    comm::cart_shift(*grid, 0, -4, &from, &to);
    CHECK(to == (me + 4) % 6);
    comm::cart_shift(*grid, 1, 1, &from, &to);
    CHECK(from == (me % 2 == 1 ? me - 1 : proc_null));
    CHECK(to == (me % 2 == 0 ? me + 1 : proc_null));
    CHECK(outcome([&] { comm::cart_shift(*grid, 2, 1, &from, &to); }) == ErrorClass::dims);
    CHECK(grid->topology->sources == Ints{(me + 4) % 6, (me + 2) % 6, me % 2 == 1 ? me - 1 : proc_null,
                                          me % 2 == 0 ? me + 1 : proc_null});
    const CommRef copy = comm::dup(*grid);
    CHECK(copy->topology->coords == grid->topology->coords);
    CHECK_FALSE(comm::split(*grid, 0, 0)->topology);
  });
}

TEST_CASE("parts of a grid")
{
  test::run(12, [](Rank&, Communicator& world) {
    const CommRef grid = comm::cart_create(world, Ints{2, 3, 2}, Ints{0, 1, 0});
    const Ints& at = grid->topology->coords;
    const CommRef plane = comm::cart_sub(*grid, Ints{1, 0, 1});
    CHECK(plane->topology->dims == Ints{2, 2});
    CHECK(plane->topology->coords == Ints{at[0], at[2]});
    const CommRef line = comm::cart_sub(*grid, Ints{0, 1, 0});
    CHECK(line->size() == 3);
    CHECK(line->rank() == at[1]);
    CHECK(line->topology->periods == std::vector<bool>{true});
    const CommRef point = comm::cart_sub(*grid, Ints{0, 0, 0});
    CHECK(point->size() == 1);
    CHECK(point->topology->dims.empty());
  });
}

TEST_CASE("grid errors are found before anybody waits")
{
  test::run(3, [](Rank&, Communicator& world) {
    CHECK(outcome([&] { comm::cart_create(world, Ints{2, 2}, Ints{0, 0}); }) == ErrorClass::dims);
    CHECK(outcome([&] { comm::cart_create(world, Ints{0}, Ints{0}); }) == ErrorClass::dims);
    CHECK(outcome([&] { comm::cart_sub(world, Ints{1}); }) == ErrorClass::topology);
    CHECK(outcome([&] {
            comm::graph_create(world, Ints{1, 2, 3, 4}, Ints{0, 0, 0, 0});
          }) == ErrorClass::topology);
    CHECK(outcome([&] { comm::graph_create(world, Ints{1, 2}, Ints{1, 2}); }) == ErrorClass::topology);
  });
}

TEST_CASE("graphs")
{
  test::run(5, [](Rank&, Communicator& world) {
    // The standard's example shape: 0-1, 0-3, 1-0, 2-3, 3-0, 3-2.
    const CommRef graph = comm::graph_create(world, Ints{2, 3, 4, 6}, Ints{1, 3, 0, 3, 0, 2});
    CHECK(static_cast<bool>(graph) == (world.rank() < 4));
    if (!graph) return;
    const auto neighbors = [&](int rank) {
      const std::span<const int> found = comm::graph_neighbors(*graph, rank);
      return Ints(found.begin(), found.end());
    };
    CHECK(neighbors(0) == Ints{1, 3});
    CHECK(neighbors(1) == Ints{0});
    CHECK(neighbors(2) == Ints{3});
    CHECK(neighbors(3) == Ints{0, 2});
    CHECK(graph->topology->sources == neighbors(graph->rank()));
  });
}

TEST_CASE("distributed graphs, by the neighbours themselves and by anybody")
{
  test::run(4, [](Rank&, Communicator& world) {
    const int me = world.rank(), left = (me + 3) % 4, right = (me + 1) % 4;
    const CommRef own =
        comm::dist_graph_create_adjacent(world, Ints{left}, Ints{7}, Ints{right, me}, Ints{1, 2}, true);
    CHECK(own->topology->sources == Ints{left});
    CHECK(own->topology->destinations == Ints{right, me});
    CHECK(own->topology->destination_weights == Ints{1, 2});

    // Each rank names the edges of its right neighbour: to the next one and, twice, to rank 0.
    const CommRef named = comm::dist_graph_create(world, Ints{right}, Ints{3}, Ints{(right + 1) % 4, 0, 0},
                                                  Ints{10 + me, 20 + me, 30 + me}, true);
    CHECK(named->topology->destinations == Ints{right, 0, 0});
    CHECK(named->topology->destination_weights == Ints{10 + left, 20 + left, 30 + left});
    Ints sources = named->topology->sources;
    std::sort(sources.begin(), sources.end());
    CHECK(sources == (me == 0 ? Ints{0, 0, 1, 1, 2, 2, 3, 3, 3} : Ints{left}));
  });
}
