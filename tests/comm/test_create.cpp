#include <doctest/doctest.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <random>
#include <set>

#include "comm/harness.hpp"
#include "terms/error.hpp"

using namespace ranklet;

namespace {

// All members of `made` agree on context and group, as seen from this one's board.
void check_agreed(Communicator& made)
{
  Board& board = made.shared().board();
  const int me = made.board_rank();
  board.post(me, &made);
  for (int i = 0; i < board.members(); ++i) {
    const auto* other = static_cast<const Communicator*>(board.item(made.self(), me, i));
    CHECK(other->context() == made.context());
    CHECK(&other->shared() == &made.shared());
    CHECK(other->board_rank() == i);
  }
  board.close(me);
  board.await_closed(made.self(), me);
}

GroupPtr pick(Communicator& comm, const std::vector<int>& ranks)
{
  return include(*comm.group(), std::span<const int>(ranks));
}

}  // namespace

TEST_CASE("world and self")
{
  test::run(5, [](Rank& rank, Communicator& world) {
    CHECK(world.size() == 5);
    CHECK(world.rank() == rank.world_rank);
    CHECK(&world.peer(3) == &rank.job.rank(3));
    Communicator& self = comm::self(rank);
    CHECK(self.size() == 1);
    CHECK(self.rank() == 0);
    CHECK(self.context() != world.context());
    CHECK_THROWS_AS(comm::prepare_to_free(world), Error);
    CHECK(comm::compare(world, world) == Comparison::ident);
    CHECK(comm::compare(world, self) == Comparison::unequal);
  });
}

TEST_CASE("contexts are unique over all communicators of a job")
{
  std::mutex lock;
  std::set<std::uint32_t> contexts;  // each seen by the first member only
  std::size_t made = 0;
  test::run(6, [&](Rank&, Communicator& world) {
    std::vector<CommRef> kept;
    const auto keep = [&](CommRef comm) {
      if (!comm) return;
      check_agreed(*comm);
      if (comm->rank() == 0) {
        const std::lock_guard guard(lock);
        contexts.insert(comm->context());
        ++made;
      }
      kept.push_back(std::move(comm));
    };
    for (int i = 0; i < 20; ++i) {
      keep(comm::dup(world));
      keep(comm::split(world, world.rank() % 3, -world.rank()));
      keep(comm::create(world, pick(world, i % 2 ? std::vector<int>{5, 1} : std::vector<int>{0, 2, 3})));
    }
  });
  CHECK(made == 20 * (1 + 3 + 1));
  CHECK(contexts.size() == made);
}

TEST_CASE("dup does not wait for the others and keeps the order of calls")
{
  std::vector<std::uint32_t> of_first, of_last;
  // Rank 0 finishes all its calls before rank 1 begins: both must still agree pair by pair.
  memmodel::Flag<> first_is_done;
  test::run(2, [&](Rank& rank, Communicator& world) {
    if (rank.world_rank == 1) wait_until(rank, rank.parking, [&] { return first_is_done.is_set(); });
    std::vector<std::uint32_t>& mine = rank.world_rank == 0 ? of_first : of_last;
    for (int i = 0; i < 50; ++i) {
      const CommRef one = comm::dup(world);
      mine.push_back(one->context());
      const CommRef two = comm::dup(*one);
      mine.push_back(two->context());
      CHECK(comm::compare(*one, *two) == Comparison::congruent);
    }
    if (rank.world_rank == 0) {
      first_is_done.set();
      rank.job.rank(1).parking.notify();
    }
  });
  CHECK(of_first == of_last);
  CHECK(std::set<std::uint32_t>(of_first.begin(), of_first.end()).size() == 100);
}

TEST_CASE("split: random colors and keys agree with sorting")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  for (int n : {1, 2, 5, 9}) {
    std::mt19937 random(seed + static_cast<unsigned>(n));
    std::vector<int> colors(n), keys(n);
    for (int i = 0; i < n; ++i) {
      colors[i] = static_cast<int>(random() % 4) - 1;
      if (colors[i] < 0) colors[i] = undefined;
      keys[i] = static_cast<int>(random() % 3) - 1;
    }
    test::run(n, [&](Rank&, Communicator& world) {
      const int me = world.rank();
      const CommRef part = comm::split(world, colors[me], keys[me]);
      if (colors[me] == undefined) {
        CHECK_FALSE(part);
        return;
      }
      std::vector<int> wanted;
      for (int i = 0; i < n; ++i)
        if (colors[i] == colors[me]) wanted.push_back(i);
      std::stable_sort(wanted.begin(), wanted.end(), [&](int a, int b) { return keys[a] < keys[b]; });
      std::vector<int> got;
      for (int i = 0; i < part->size(); ++i) got.push_back(part->peer(i).world_rank);
      CHECK(got == wanted);
      check_agreed(*part);
      if (part->size() == n && wanted.front() != 0) CHECK(comm::compare(*part, world) == Comparison::similar);
    });
  }
}

TEST_CASE("split rejects a negative color before it takes part")
{
  test::run(1, [](Rank&, Communicator& world) {
    CHECK_THROWS_AS(comm::split(world, -1, 0), Error);
    CHECK(comm::split(world, 0, 0)->size() == 1);
  });
}

TEST_CASE("split_type: all ranks share memory; who wants none gets none; unknown resources give null")
{
  test::run(4, [](Rank&, Communicator& world) {
    const bool out = world.rank() == 2;
    const CommRef node =
        comm::split_type(world, out ? comm::SplitKind::none : comm::SplitKind::shared, -world.rank(), "");
    if (out) {
      CHECK_FALSE(node);
    } else {
      CHECK(node->size() == 3);
      CHECK(&node->peer(0) == &world.peer(3));
    }
    CHECK_FALSE(comm::split_type(world, comm::SplitKind::hw_guided, 0, "no such thing"));
    const CommRef unguided =
        comm::split_type(world, out ? comm::SplitKind::none : comm::SplitKind::hw_unguided, 0, "");
    if (unguided) CHECK(unguided->size() < world.size());
    const CommRef machine = comm::split_type(world, comm::SplitKind::hw_guided, 0, "hwloc://Machine");
    REQUIRE(machine);
    CHECK(machine->size() == 4);
  });
}

TEST_CASE("create: disjoint groups at once, the empty group, and groups that are no subset")
{
  test::run(5, [](Rank& rank, Communicator& world) {
    const bool upper = world.rank() >= 2;
    const GroupPtr mine = upper ? pick(world, {4, 3, 2}) : pick(world, {1, 0});
    const CommRef part = comm::create(world, mine);
    REQUIRE(part);
    CHECK(part->size() == (upper ? 3 : 2));
    CHECK(compare(*part->group(), *mine) == Comparison::ident);
    check_agreed(*part);
    CHECK_FALSE(comm::create(world, Group::empty()));
    CHECK_THROWS_AS(comm::create(comm::self(rank), world.group()), Error);
    CHECK(static_cast<bool>(comm::create(*part, pick(*part, {0}))) == (part->rank() == 0));
  });
}

TEST_CASE("create_group: only the group takes part; tags, overlap and repetition are kept apart")
{
  test::run(6, [](Rank&, Communicator& world) {
    const int me = world.rank();
    std::vector<CommRef> kept;
    const auto take_part = [&](const std::vector<int>& ranks, int tag) {
      if (std::find(ranks.begin(), ranks.end(), me) == ranks.end()) return;
      kept.push_back(comm::create_group(world, pick(world, ranks), tag));
      check_agreed(*kept.back());
      for (std::size_t i = 0; i + 1 < kept.size(); ++i) CHECK(kept[i]->context() != kept.back()->context());
    };
    for (int round = 0; round < 20; ++round) {
      take_part({0, 1, 2}, 7);
      take_part({2, 3, 4}, 7);  // overlaps the one before with the same tag
      take_part({5, 1}, 7);     // disjoint to that
      take_part({0, 1, 2}, 8);
      take_part({2, 1, 0}, 7);  // another order is another group
      take_part({3}, 0);
    }
    if (me == 0) CHECK_THROWS_AS(comm::create_group(world, pick(world, {1}), 0), Error);
  });
}

TEST_CASE("create_group: a member may run ahead with the same group and tag")
{
  memmodel::Flag<> ahead;
  std::vector<std::uint32_t> contexts[2];
  test::run(2, [&](Rank& rank, Communicator& world) {
    if (rank.world_rank == 1) wait_until(rank, rank.parking, [&] { return ahead.is_set(); });
    for (int i = 0; i < 10; ++i)
      contexts[rank.world_rank].push_back(comm::create_group(world, world.group(), 1)->context());
    ahead.set();
    rank.job.rank(1).parking.notify();
  });
  CHECK(contexts[0] == contexts[1]);
}

TEST_CASE("a communicator outlives the one it was made from, and its other members")
{
  test::run(3, [](Rank&, Communicator& world) {
    CommRef first = comm::dup(world);
    CommRef second = comm::split(*first, 0, 0);
    test::free(first);
    check_agreed(*second);
    test::free(second);
  });
}
