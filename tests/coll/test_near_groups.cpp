// Groups of members that share a cache, and what members with cores of their own do in them. There are fewer
// cores here: they believe to have them.
#include "coll/near_groups.hpp"

#include <cstring>
#include <string>
#include <thread>

#include "coll/coll_state.hpp"
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

TEST_CASE("near groups: blocks of a tree of pairs")
{
  const auto block_of = [](const char* machine, const std::vector<int>& on) {
    coll::NearGroups found;
    const int n = static_cast<int>(on.size());
    test::run(
        n,
        [&](Rank&, Communicator& world) {
          if (world.rank() == 0) found = coll::find_near_groups(world.shared());
        },
        places_on(machine, on));
    return found.block;
  };
  CHECK(block_of("package:1 l3:3 core:4 pu:1", in_order(12, 12)) == 4);
  CHECK(block_of("package:1 l3:3 core:4 pu:1", in_order(8, 12)) == 4);
  CHECK(block_of("package:1 l3:3 core:4 pu:1", in_order(11, 12)) == 0);
  CHECK(block_of("package:1 l3:3 core:4 pu:1", in_order(4, 12)) == 0);
  CHECK(block_of("package:1 l3:3 core:4 pu:1", {0, 4, 8, 1, 5, 9}) == 0);
  CHECK(block_of("package:1 l3:4 core:3 pu:1", in_order(12, 12)) == 0);
  CHECK(block_of("package:1 l3:4 core:1 pu:1", in_order(4, 4)) == 0);
  CHECK(block_of("package:1 l3:1 core:32 pu:1", in_order(32, 32)) == 16);
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
            switch (same() % 5) {
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
                sum = mine;
                coll::bcast(world, {sum.data(), count, &int_type}, root);
                CHECK(sum.back() == test::value(static_cast<unsigned>(round), root, count - 1) >> 8);
                have = 0;
                break;
              case 4:
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

TEST_CASE("many members with cores of their own: two levels give the same bits as one")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 draw(seed);
  struct Case {
    int caches, cores;
    bool in_blocks;
    int fewest;  // doubles that do not travel as copies, but may have fewer lines than a group has members
  };
  for (const Case& where : {Case{2, 2, true, 150},
                            {3, 4, true, 90},
                            {5, 8, true, 26},
                            {3, 16, true, 22},
                            {16, 2, true, 33},
                            {3, 4, false, 90}}) {
    const int n = where.caches * where.cores;
    CAPTURE(n);
    std::vector<int> on = in_order(n, n);
    if (!where.in_blocks) std::swap(on.front(), on.back());
    const std::string machine =
        "package:1 l3:" + std::to_string(where.caches) + " core:" + std::to_string(where.cores) + " pu:1";
    const unsigned first_round = static_cast<unsigned>(draw());
    test::run(
        n,
        [&](Rank&, Communicator& world) {
          std::mt19937 same(first_round), own(first_round + static_cast<unsigned>(world.rank()));
          CHECK((coll::state(world).near_groups(world.shared()).block > 0) == where.in_blocks);
          for (unsigned round = 0; round < 30; ++round) {
            const unsigned beyond[] = {50, 500, 5000};
            const Count count = where.fewest + static_cast<Count>(same() % beyond[same() % 3]);
            const OpKind operators[] = {OpKind::sum, OpKind::max, OpKind::min};
            const Op& op = predefined(operators[same() % 3]);
            std::vector<double> mine(static_cast<std::size_t>(count)), got(mine.size());
            for (Count i = 0; i < count; ++i)
              mine[static_cast<std::size_t>(i)] = test::operand(round, world.rank(), i);
            const bool is_in_place = own() % 2 == 0;
            if (is_in_place) got = mine;
            coll::allreduce(world, is_in_place ? coll::in_place : mine.data(), got.data(), count,
                            predefined(Basic::double_), op);
            // At once, for those who still read.
            std::fill(mine.begin(), mine.end(), 0.0);
            int wrong = 0;
            std::vector<double> operands(static_cast<std::size_t>(n));
            // Together they look at each element about once.
            const auto step = [&] { return static_cast<Count>(own() % (2 * static_cast<unsigned>(n))); };
            for (Count i = step(); i < count; i += 1 + step()) {
              for (int member = 0; member < n; ++member)
                operands[static_cast<std::size_t>(member)] = test::operand(round, member, i);
              const double expected = test::in_pairs(op, operands);
              wrong += std::memcmp(&expected, &got[static_cast<std::size_t>(i)], sizeof expected) != 0;
            }
            CHECK(wrong == 0);
            std::fill(got.begin(), got.end(), 0.0);
          }
        },
        places_on(machine.c_str(), on), n);
  }
}

// One has been in other collectives, so often that it is not known any more in which, and is gone.
TEST_CASE("many members with cores of their own: one who was elsewhere for long does not keep the others")
{
  struct Case {
    int caches, cores, elsewhere;
  };
  for (const Case& where : {Case{3, 2, 4}, {5, 8, 8}, {5, 8, 9}})
    for (const int what : {0, 1, 2}) {
      const int n = where.caches * where.cores;
      CAPTURE(n);
      CAPTURE(what);
      const std::string machine =
          "package:1 l3:" + std::to_string(where.caches) + " core:" + std::to_string(where.cores) + " pu:1";
      memmodel::Flag<> gone;
      memmodel::Counter<> told;
      test::run(
          n,
          [&](Rank&, Communicator& world) {
            std::vector<double> data(4000, 1), sums(data);
            const Datatype& type = predefined(Basic::double_);
            if (world.rank() == where.elsewhere) {
              for (int i = 0; i < 20; ++i) coll::reduce(world, data.data(), nullptr, 1, type, sum_op, 0);
              gone.set();
              return;
            }
            while (!gone.is_set()) std::this_thread::yield();
            try {
              if (what == 0) coll::allreduce(world, data.data(), sums.data(), 2000, type, sum_op);
              if (what == 1) coll::bcast(world, {data.data(), 4000, &type}, 0);
              if (what == 2) coll::barrier(world);
            } catch (const Error& error) {
              CHECK(error.error_class() == ErrorClass::other);
              told.add(1);
            }
          },
          places_on(machine.c_str(), in_order(n, n)), n);
      // Of a broadcast the others have all that they need.
      if (what != 1) CHECK(told.value() > 0);
    }
}

TEST_CASE("many members with cores of their own: who expects another amount of a broadcast is told of it")
{
  constexpr int n = 40;
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 draw(seed);
  for (int round = 0; round < 20; ++round) {
    const int root = static_cast<int>(draw() % n);
    const Count amounts[2] = {10 + static_cast<Count>(draw() % 3000), 10 + static_cast<Count>(draw() % 3000)};
    const unsigned others = static_cast<unsigned>(draw());
    const auto is_other = [&](int rank) { return rank != root && (others >> rank % 32 & 1) != 0; };
    if (amounts[0] == amounts[1]) continue;
    test::run(
        n,
        [&](Rank&, Communicator& world) {
          std::vector<int> data(3010, world.rank() == root);
          bool failed = false;
          try {
            coll::bcast(world, {data.data(), amounts[is_other(world.rank())], &int_type}, root);
          } catch (const Error& error) {
            failed = true;
            const bool is_amount = error.error_class() == ErrorClass::truncate;
            CHECK((is_amount || error.error_class() == ErrorClass::other));
            if (is_amount) CHECK((is_other(world.rank()) || world.rank() == root));
          }
          if (is_other(world.rank())) CHECK(failed);
          if (!failed && world.rank() != root) CHECK(data[9] == 1);
        },
        places_on("package:1 l3:5 core:8 pu:1", in_order(n, n)), n);
  }
}

TEST_CASE("many members with cores of their own: other amounts, or another call, end an allreduce of all")
{
  constexpr int inside = 8, n = 5 * inside;
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 draw(seed);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    // Of one member, of whole groups, or of anybody.
    const unsigned kind = static_cast<unsigned>(draw() % 3);
    const bool calls_another = kind == 0 && draw() % 2 == 0;
    std::vector<int> counts(n, 26 + static_cast<int>(draw() % 200));
    const int other = static_cast<int>(draw() % n), beyond = draw() % 2 == 0 ? 40 : 2000;
    const int amount = counts[0] + 1 + static_cast<int>(draw() % static_cast<unsigned>(beyond));
    for (int i = 0; i < n; ++i) {
      const unsigned who =
          kind == 1 ? static_cast<unsigned>(i / inside + round) : static_cast<unsigned>(draw());
      if (i == other || (kind > 0 && who % 3 == 0)) counts[static_cast<std::size_t>(i)] = amount;
    }
    if (kind == 1)
      for (int i = 0; i < n; ++i)
        counts[static_cast<std::size_t>(i)] = counts[static_cast<std::size_t>(i / inside * inside)];
    if (kind > 0 && std::count(counts.begin(), counts.end(), counts[0]) == n) continue;
    memmodel::Counter<> told;
    test::run(
        n,
        [&](Rank&, Communicator& world) {
          const int count = counts[static_cast<std::size_t>(world.rank())];
          std::vector<double> data(static_cast<std::size_t>(count), 1), sum(data);
          const Datatype& type = predefined(Basic::double_);
          try {
            if (calls_another && world.rank() == other)
              coll::bcast(world, {data.data(), count, &type}, other);
            else
              coll::allreduce(world, data.data(), sum.data(), count, type, sum_op);
          } catch (const Error& error) {
            // That another member has failed is `other`, too.
            const bool is_amount = error.error_class() == ErrorClass::truncate;
            CHECK((is_amount || error.error_class() == ErrorClass::other));
            told.add(is_amount || calls_another);
          }
        },
        places_on("package:1 l3:5 core:8 pu:1", in_order(n, n)), n);
    CHECK(told.value() > 0);
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
