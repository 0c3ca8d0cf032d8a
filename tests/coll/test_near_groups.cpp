// Groups of members that share a cache, and what members with cores of their own do in them. There are fewer
// cores here: they believe to have them.
#include "coll/near_groups.hpp"

#include "coll/random_case.hpp"
#include "machine/topology.hpp"
#include "members/slices.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using test::int_type;
using test::sum_op;

namespace {

using Members = std::vector<int>;

// Rank i on the core `on[i]` of the machine, or moving anywhere where that is -1.
std::vector<Place> places_on(const char* machine, const std::vector<int>& on)
{
  const Topology topology(machine);
  const auto& cores = topology.objects(Level::core);
  CpuSet all;
  for (const CpuSet& core : cores) all |= core;
  std::vector<Place> places;
  for (const int core : on)
    places.push_back(find_place(topology, core < 0 ? all : cores[static_cast<std::size_t>(core)]));
  return places;
}

std::vector<int> in_order(int n, int cores)
{
  std::vector<int> on;
  for (int i = 0; i < n; ++i) on.push_back(i % cores);
  return on;
}

}  // namespace

TEST_CASE("near groups: who shares an L3, at most 16 together")
{
  const auto groups_of = [](const std::vector<Place>& places, int n) {
    coll::NearGroups found;
    test::run(
        n,
        [&](Rank&, Communicator& world) {
          if (world.rank() == 0) found = coll::find_near_groups(world.shared());
        },
        places);
    for (int i = 0; i < n; ++i) {
      const Members& mine = found.groups[static_cast<std::size_t>(found.of[static_cast<std::size_t>(i)])];
      CHECK(std::count(mine.begin(), mine.end(), i) == 1);
    }
    return found.groups;
  };
  CHECK(groups_of(places_on("package:1 l3:2 core:2 pu:1", {0, 2, 1, 3, 0}), 5) ==
        std::vector<Members>{{0, 2, 4}, {1, 3}});
  CHECK(groups_of(places_on("package:1 l3:2 core:2 pu:1", {-1, 3, -1}), 3) ==
        std::vector<Members>{{0, 2}, {1}});
  CHECK(groups_of({}, 3) == std::vector<Members>{{0, 1, 2}});
  const auto many = groups_of(places_on("package:1 l3:1 core:20 pu:1", in_order(20, 20)), 20);
  CHECK(many.size() == 2);
  CHECK(many[1] == Members{16, 17, 18, 19});
}

TEST_CASE("slices: each has one owner, and owners are spread")
{
  for (int n = 1; n <= 40; ++n)
    for (int count = 1; count <= n; ++count) {
      const members::Slices slices{n, count};
      int owners = 0;
      for (int member = 0; member < n; ++member) {
        const int own = slices.of(member);
        if (own != slices.none) {
          ++owners;
          CHECK(slices.owner(own) == member);
          CHECK(slices.near(member) == own);
          if (own > 0) CHECK(member - slices.owner(own - 1) >= n / count);
        }
        const int near = slices.near(member);
        CHECK((near == 0 || (slices.owner(near) >= member && slices.owner(near - 1) < member)));
      }
      CHECK(owners == count);
    }
}

TEST_CASE("many members with cores of their own: barriers, and reductions in many slices")
{
  constexpr int n = 40;
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  for (const char* machine : {"package:2 l3:2 core:5 pu:1", "package:1 l3:1 core:40 pu:1", ""}) {
    CAPTURE(machine);
    std::mt19937 draw(seed);
    std::vector<int> on;
    for (int i = 0; i < n; ++i) on.push_back(static_cast<int>(draw() % 20));
    memmodel::Counter<> come;
    test::run(
        n,
        [&](Rank&, Communicator& world) {
          CHECK(world.shared().own_cores);
          std::mt19937 same(seed);
          for (int round = 1; round <= 24; ++round) {
            come.add(1);
            coll::barrier(world);
            CHECK(come.value() >= round * n);
            // Slices of one to some lines.
            const int count = 1 + static_cast<int>(same() % 4000);
            std::vector<int> mine(static_cast<std::size_t>(count)), sum(mine.size());
            for (int i = 0; i < count; ++i)
              mine[static_cast<std::size_t>(i)] =
                  test::value(static_cast<unsigned>(round), world.rank(), i) >> 8;
            const int root = static_cast<int>(same() % n);
            const bool is_in_place = same() % 2 == 0;
            int have = n;  // members whose operands the result has
            const void* send = mine.data();
            if (is_in_place) {
              sum = mine;
              send = coll::in_place;
            }
            switch (same() % 4) {
              case 0:
                coll::allreduce(world, send, sum.data(), count, int_type, sum_op);
                break;
              case 1:
                coll::reduce(world, world.rank() == root ? send : mine.data(), sum.data(), count, int_type,
                             sum_op, root);
                if (world.rank() != root) have = 0;
                break;
              case 2:
                coll::scan(world, send, sum.data(), count, int_type, sum_op);
                have = world.rank() + 1;
                break;
              case 3:
                test::call(test::Form::nonblocking, coll::allreduce, coll::iallreduce, world, send,
                           sum.data(), count, int_type, sum_op);
                break;
            }
            for (int k = 0; k < 8; ++k) {
              const int i = static_cast<int>(same() % static_cast<unsigned>(count));
              int expected = 0;
              for (int member = 0; member < have; ++member)
                expected += test::value(static_cast<unsigned>(round), member, i) >> 8;
              if (have > 0) CHECK(sum[static_cast<std::size_t>(i)] == expected);
            }
          }
        },
        *machine ? places_on(machine, on) : std::vector<Place>{}, n);
  }
}

TEST_CASE("many members with cores of their own: one in another collective is told of")
{
  constexpr int n = 40;
  for (const int other : {0, 7, 8, 39}) {
    CAPTURE(other);
    memmodel::Counter<> told;
    test::run(
        n,
        [&](Rank&, Communicator& world) {
          coll::barrier(world);
          try {
            int sum = 1;
            if (world.rank() == other)
              coll::allreduce(world, coll::in_place, &sum, 1, int_type, sum_op);
            else
              coll::barrier(world);
          } catch (const Error& error) {
            CHECK(error.error_class() == ErrorClass::other);
            told.add(1);
          }
        },
        places_on("package:2 numa:2 l3:2 core:5 pu:1", in_order(n, 40)), n);
    CHECK(told.value() > 0);
  }
}
