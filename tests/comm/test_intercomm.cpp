#include <doctest/doctest.h>

#include "comm/harness.hpp"
#include "terms/error.hpp"

using namespace ranklet;

namespace {

// Ranks below `cut` against the others, leaders: the last of each side.
CommRef bridge(Communicator& world, int cut, CommRef* half = nullptr)
{
  const bool low = world.rank() < cut;
  CommRef local = comm::split(world, low ? 0 : 1, 0);
  CommRef inter =
      comm::intercomm_create(*local, local->size() - 1, &world, low ? world.size() - 1 : cut - 1, 5);
  if (half) *half = local;
  return inter;
}

std::vector<int> world_ranks(const Group& group)
{
  std::vector<int> out;
  for (const Rank* member : group.members()) out.push_back(member->world_rank);
  return out;
}

}  // namespace

TEST_CASE("intercommunicators know both groups")
{
  test::run(5, [](Rank& rank, Communicator& world) {
    const CommRef inter = bridge(world, 2);
    const bool low = world.rank() < 2;
    CHECK(inter->is_inter());
    CHECK(inter->size() == (low ? 2 : 3));
    CHECK(inter->peer_count() == (low ? 3 : 2));
    CHECK(inter->rank() == (low ? world.rank() : world.rank() - 2));
    CHECK(world_ranks(*inter->group()) == (low ? std::vector<int>{0, 1} : std::vector<int>{2, 3, 4}));
    CHECK(world_ranks(*inter->peers()) == (low ? std::vector<int>{2, 3, 4} : std::vector<int>{0, 1}));
    CHECK(&inter->group()->member(inter->rank()) == &rank);
    CHECK(comm::compare(*inter, world) == Comparison::unequal);
    const CommRef copy = comm::dup(*inter);
    CHECK(copy->is_inter());
    CHECK(copy->context() != inter->context());
    CHECK(comm::compare(*inter, *copy) == Comparison::congruent);
  });
}

TEST_CASE("merge orders the groups by high")
{
  test::run(5, [](Rank&, Communicator& world) {
    const CommRef inter = bridge(world, 2);
    const bool low = world.rank() < 2;
    const CommRef up = comm::merge(*inter, !low);
    CHECK(world_ranks(*up->group()) == std::vector<int>{0, 1, 2, 3, 4});
    CHECK_FALSE(up->is_inter());
    const CommRef down = comm::merge(*inter, low);
    CHECK(world_ranks(*down->group()) == std::vector<int>{2, 3, 4, 0, 1});
    CHECK(down->rank() == (low ? 3 + world.rank() : world.rank() - 2));
    CHECK_THROWS_AS(comm::merge(*up, true), Error);
  });
}

TEST_CASE("split and create on intercommunicators")
{
  test::run(6, [](Rank&, Communicator& world) {
    const CommRef inter = bridge(world, 3);
    const bool low = world.rank() < 3;
    // Color 0: the even ones of both sides; color 1: only of the low side, so nobody gets it.
    const int color = world.rank() % 2 == 0 ? 0 : low ? 1 : undefined;
    const CommRef part = comm::split(*inter, color, -world.rank());
    CHECK(static_cast<bool>(part) == (world.rank() % 2 == 0));
    if (part) {
      CHECK(part->is_inter());
      CHECK(world_ranks(*part->group()) == (low ? std::vector<int>{2, 0} : std::vector<int>{4}));
      CHECK(world_ranks(*part->peers()) == (low ? std::vector<int>{4} : std::vector<int>{2, 0}));
    }
    const std::vector<int> chosen = {2, 1};
    const CommRef made = comm::create(*inter, include(*inter->group(), std::span<const int>(chosen)));
    CHECK(static_cast<bool>(made) == (inter->rank() != 0));
    if (made) CHECK(world_ranks(*made->peers()) == (low ? std::vector<int>{5, 4} : std::vector<int>{2, 1}));
    CHECK_FALSE(comm::create(*inter, low ? Group::empty() : inter->group()));
  });
}

TEST_CASE("a leader's error reaches all members of its group")
{
  test::run(4, [](Rank&, Communicator& world) {
    const CommRef local = comm::split(world, world.rank() / 2, 0);
    const auto attempt = [&](int remote, int tag, ErrorClass wanted) {
      try {
        comm::intercomm_create(*local, 0, &world, remote, tag);
        CHECK(false);
      } catch (const Error& error) {
        CHECK(error.error_class() == wanted);
      }
    };
    attempt(17, 1, ErrorClass::rank);
    attempt(local->rank() == 0 ? 2 - world.rank() : 0, -3, ErrorClass::tag);
    attempt(world.rank() / 2 * 2 + 1, 1, ErrorClass::group);
  });
}

TEST_CASE("members that name different leaders are told so")
{
  test::run(4, [](Rank&, Communicator& world) {
    const CommRef local = comm::split(world, world.rank() / 2, 0);
    try {
      // Each names the other, so that nobody leads.
      comm::intercomm_create(*local, 1 - local->rank(), &world, 0, 1);
      CHECK(false);
    } catch (const Error& error) {
      CHECK(error.error_class() == ErrorClass::arg);
    }
  });
}

TEST_CASE("overlapping groups are an error at both leaders")
{
  test::run(3, [](Rank&, Communicator& world) {
    // Groups {0, 1} and {2, 1}: rank 1 takes part in one of the calls only, so that call ends for all of it.
    const std::vector<int> low = {0, 1}, high = {2, 1};
    const GroupPtr low_group = include(*world.group(), std::span<const int>(low));
    const GroupPtr high_group = include(*world.group(), std::span<const int>(high));
    CommRef a, b;
    if (world.rank() != 2) a = comm::create_group(world, low_group, 1);
    if (world.rank() != 0) b = comm::create_group(world, high_group, 1);
    if (a) CHECK_THROWS_AS(comm::intercomm_create(*a, 0, &world, 2, 9), Error);
    if (b) CHECK_THROWS_AS(comm::intercomm_create(*b, 0, &world, 0, 9), Error);
  });
}

TEST_CASE("meetings of the same leaders and tag keep their order")
{
  test::run(2, [](Rank& rank, Communicator& world) {
    Communicator& self = comm::self(rank);
    std::vector<std::uint32_t> mine;
    for (int i = 0; i < 100; ++i)
      mine.push_back(comm::intercomm_create(self, 0, &world, 1 - world.rank(), 3)->context());
    Board& board = world.shared().board();
    board.post(world.rank(), &mine);
    CHECK(*static_cast<const std::vector<std::uint32_t>*>(board.item(rank, world.rank(), 1 - world.rank())) ==
          mine);
    board.close(world.rank());
    board.await_closed(rank, world.rank());
  });
}
