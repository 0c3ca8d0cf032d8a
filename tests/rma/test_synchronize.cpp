// What synchronising calls let happen at once, and what not.
#include <doctest/doctest.h>

#include <thread>

#include "rma/world.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using ranklet::test::on_ranks;
using ranklet::test::rounds;

namespace {

GroupPtr all_but(Communicator& world, int rank)
{
  std::vector<Rank*> members;
  for (int i = 0; i < world.size(); ++i)
    if (i != rank) members.push_back(&world.group()->member(i));
  return std::make_shared<Group>(members);
}

}  // namespace

TEST_CASE("exclusive locks exclude, shared ones are together: a plain counter stays right")
{
  constexpr int ranks = 5;
  on_ranks(ranks, [&](Communicator& world) {
    Window* const window = rma::allocate(world, 16, 8, nullptr, true);
    auto* const counter = reinterpret_cast<std::int64_t*>(window->target(0).base);
    for (int round = 0; round < rounds; ++round) {
      if (round % 4 == world.rank() % 4) {
        rma::lock(*window, true, 0, 0);
        ++counter[0];
        ++counter[1];
        if (!window->is_valid()) CHECK(window->is_valid());
        rma::unlock(*window, 0);
      } else {
        rma::lock(*window, false, 0, 0);
        if (counter[0] != counter[1]) CHECK(counter[0] == counter[1]);
        rma::unlock(*window, 0);
      }
    }
    rma::fence(*window, 0);
    CHECK(counter[0] == ranks * rounds / 4);
    rma::fence(*window, rma::nosucceed);
    rma::free(*window);
  });
}

TEST_CASE("the epoch of a fence that nobody waited in begins at each target when that has called it")
{
  on_ranks(3, [&](Communicator& world) {
    Window* const window = rma::allocate(world, 3 * 8, 8, nullptr, false);
    auto* const mine = reinterpret_cast<std::int64_t*>(window->own().base);
    Datatype& type = predefined(Basic::int64);
    for (std::int64_t round = 1; round <= rounds; ++round) {
      for (int i = 0; i < 3; ++i) mine[i] = -round;  // before the fence: never overwrites a put of this round
      rma::fence(*window, rma::noprecede);
      for (int target = 0; target < 3; ++target) {
        std::int64_t value = round;
        rma::put(*window, {&value, 1, &type}, {target, world.rank(), 1, &type});
      }
      if (!window->is_valid()) CHECK(window->is_valid());
      rma::fence(*window, rma::nosucceed);
      if (!window->is_valid()) CHECK(window->is_valid());
      for (int i = 0; i < 3; ++i)
        if (mine[i] != round) CHECK(mine[i] == round);
    }
    rma::free(*window);
  });
}

TEST_CASE("threads of a rank lock different targets at once, after a fence whose epoch nobody has used")
{
  constexpr int ranks = 3;
  on_ranks(
      ranks,
      [&](Communicator& world) {
        Window* const window = rma::allocate(world, ranks * 8, 8, nullptr, false);
        Datatype& type = predefined(Basic::int64);
        for (int round = 1; round <= 50; ++round) {
          rma::fence(*window, 0);
          const auto put = [&](int target) {
            std::int64_t value = round;
            rma::lock(*window, false, target, 0);
            rma::put(*window, {&value, 1, &type}, {target, world.rank(), 1, &type});
            rma::flush_all(*window);
            rma::unlock(*window, target);
          };
          std::thread other([&] {
            bind_current_rank(&world.self());
            put(1);
            bind_current_rank(nullptr);
          });
          put(0);
          other.join();
          if (!window->is_valid()) CHECK(window->is_valid());
          rma::fence(*window, rma::nosucceed);
          const auto* const mine = reinterpret_cast<const std::int64_t*>(window->own().base);
          for (int i = 0; i < ranks && world.rank() < 2; ++i)
            if (mine[i] != round) CHECK(mine[i] == round);
        }
        rma::free(*window);
      },
      ThreadLevel::multiple);
}

TEST_CASE("post, start, complete and wait match round by round, with any groups")
{
  constexpr int ranks = 4;
  on_ranks(ranks, [&](Communicator& world) {
    Window* const window = rma::allocate(world, ranks * 8, 8, nullptr, false);
    auto* const mine = reinterpret_cast<std::int64_t*>(window->own().base);
    Datatype& type = predefined(Basic::int64);
    const GroupPtr others = all_but(world, world.rank());
    for (std::int64_t round = 1; round <= rounds / 4; ++round) {
      rma::post(*window, others, 0);
      rma::start(*window, others, 0);
      for (int target = 0; target < ranks; ++target) {
        std::int64_t value = 10 * round + world.rank();
        if (target != world.rank()) rma::put(*window, {&value, 1, &type}, {target, world.rank(), 1, &type});
      }
      if (!window->is_valid()) CHECK(window->is_valid());
      rma::complete(*window);
      if (round % 2 == 0)
        rma::wait(*window);
      else
        while (!rma::test(*window)) memmodel::Native::yield();
      for (int i = 0; i < ranks; ++i)
        if (i != world.rank() && mine[i] != 10 * round + i) CHECK(mine[i] == 10 * round + i);
    }
    rma::free(*window);
  });
}

TEST_CASE("partners change from epoch to epoch, or stay")
{
  constexpr int ranks = 4;
  on_ranks(ranks, [&](Communicator& world) {
    Window* const window = rma::allocate(world, ranks * 8, 8, nullptr, false);
    auto* const mine = reinterpret_cast<std::int64_t*>(window->own().base);
    Datatype& type = predefined(Basic::int64);
    const auto only = [&](int rank) {
      return std::make_shared<Group>(std::vector<Rank*>{&world.group()->member(rank)});
    };
    for (std::int64_t round = 0; round < rounds / 4; ++round) {
      const int shift = static_cast<int>(round / 2) % (ranks - 1) + 1;
      const int to = (world.rank() + shift) % ranks, from = (world.rank() + ranks - shift) % ranks;
      rma::post(*window, only(from), 0);
      rma::start(*window, only(to), 0);
      std::int64_t value = 10 * round + world.rank();
      rma::put(*window, {&value, 1, &type}, {to, world.rank(), 1, &type});
      int others = 0;
      for (int i = 0; i < ranks; ++i) {
        if (i == to) continue;
        try {
          rma::put(*window, {&value, 1, &type}, {i, world.rank(), 1, &type});
        } catch (const Error& error) {
          others += error.error_class() == ErrorClass::rma_sync;
        }
      }
      if (others != ranks - 1) CHECK(others == ranks - 1);
      rma::complete(*window);
      rma::wait(*window);
      if (mine[from] != 10 * round + from) CHECK(mine[from] == 10 * round + from);
    }
    rma::free(*window);
  });
}

TEST_CASE("regions of dynamic windows: overlaps are refused, neighbours are one")
{
  rma::Regions regions;
  char memory[100];
  regions.attach(memory + 10, 20);
  regions.attach(memory + 30, 20);
  CHECK(regions.contain(memory + 10, memory + 50));
  CHECK(regions.contain(memory + 29, memory + 31));
  CHECK_FALSE(regions.contain(memory + 9, memory + 11));
  CHECK_FALSE(regions.contain(memory + 49, memory + 51));
  for (const int begin : {5, 10, 15, 45}) CHECK_THROWS_AS(regions.attach(memory + begin, 10), Error);
  regions.detach(memory + 10);
  CHECK_FALSE(regions.contain(memory + 29, memory + 31));
  CHECK(regions.contain(memory + 30, memory + 50));
  CHECK_THROWS_AS(regions.detach(memory + 10), Error);
}

TEST_CASE("a member knows no more of the others than it has met, so large windows cost little")
{
  on_ranks(3, [&](Communicator& world) {
    Window* const window = rma::allocate(world, 8, 8, nullptr, false);
    const int next = (world.rank() + 1) % 3;
    std::int64_t value = 0;
    Datatype& type = predefined(Basic::int64);
    rma::lock(*window, true, next, 0);
    rma::put(*window, {&value, 1, &type}, {next, 0, 1, &type});
    rma::unlock(*window, next);
    for (int i = 0; i < 3; ++i) CHECK(window->path(i).known == (i == next));
    rma::fence(*window, 0);
    for (int i = 0; i < 3; ++i) CHECK(window->path(i).known == (i == next));
    rma::fence(*window, rma::nosucceed);
    rma::lock_all(*window, 0);
    for (int i = 0; i < 3; ++i) CHECK(window->path(i).known);
    rma::unlock_all(*window);
    rma::free(*window);
  });
}
