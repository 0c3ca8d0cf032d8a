// Copies that a member keeps for its readers, in all executions, and against a simple model.
#include <doctest/doctest.h>

#include <array>
#include <random>
#include <vector>

#include "members/copy_ring.hpp"
#include "members/rounds.hpp"
#include "memmodel/walks.hpp"

namespace copy_ring_walk {

using namespace ranklet::explore;

namespace {

// More cells than copies that there is room for.
constexpr std::uint64_t depth = 3;
constexpr std::size_t copies = 2, line = 64;
using Ring = ranklet::members::CopyRing<copies * line>;

struct Cell {
  ranklet::memmodel::Sequence<Explored> turn;
  std::size_t place;
};
using Rounds = ranklet::members::Rounds<Cell, depth, Explored>;

// What a test plants, in place of what coll::Round does.
enum class Fault { none, does_not_wait_for_room, finishes_early };

// Member 0 shows a copy in each round, and need not wait for its readers while there is room.
auto broadcasts(int members, int rounds, Fault fault)
{
  return [=](Scenario& scenario) {
    struct State {
      std::array<Rounds, 3> of;
      std::array<Explored::data<int>, copies> bytes;
      Rounds& at(int member) { return of[static_cast<std::size_t>(member)]; }
    };
    auto s = std::make_shared<State>();
    scenario.thread([=] {
      Ring ring;
      for (std::uint64_t round = 1; round <= static_cast<std::uint64_t>(rounds); ++round) {
        if (const std::uint64_t in_the_way = ring.in_the_way(line)) {
          if (fault == Fault::does_not_wait_for_room)
            ring.forget(in_the_way);
          else
            ring.forget(ranklet::members::await_room(
                round, in_the_way, members, 0, [&](int i) -> Rounds& { return s->at(i); }, spinning));
        }
        const std::size_t place = ring.take(round, line);
        s->bytes[place / line].set(static_cast<int>(round));
        s->at(0).cells.mine(round).place = place;
        s->at(0).publish(round);
        s->at(0).finish(round);
      }
    });
    for (int me = 1; me < members; ++me)
      scenario.thread([=] {
        for (std::uint64_t round = 1; round <= static_cast<std::uint64_t>(rounds); ++round) {
          if (fault == Fault::finishes_early) s->at(me).finish(round);
          Explored::await([&] { return s->at(0).cells.hold(round); });
          const std::size_t place = s->at(0).cells.of(round).place;
          Explored::check(s->bytes[place / line].get() == static_cast<int>(round), "another round's copy");
          if (fault != Fault::finishes_early) s->at(me).finish(round);
        }
      });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("copy ring: readers who come late find the copy of their round")
{
  expect_correct("copies, 1 late reader", {}, broadcasts(2, 4, Fault::none));
  expect_correct("copies, 2 late readers", {}, broadcasts(3, 3, Fault::none),
                 {Memory::interleaved, Memory::store_buffers});
}

TEST_CASE("copy ring: a planted fault is found")
{
  expect_failure("copies, no wait for room", {}, broadcasts(2, 3, Fault::does_not_wait_for_room), "");
  expect_failure("copies, done before it has read", {}, broadcasts(2, 3, Fault::finishes_early), "");
}

TEST_CASE("copy ring: what stays does not overlap, whatever the sizes; nothing waits without need")
{
  constexpr std::size_t size = 1024;
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  struct Copy {
    std::uint64_t round;
    std::size_t begin, end;
  };
  for (int repetition = 0; repetition < 200; ++repetition) {
    ranklet::members::CopyRing<size> ring;
    std::vector<Copy> stay;
    std::uint64_t all_done = 0;
    for (std::uint64_t round = 1; round <= 100; ++round) {
      // As cells make sure.
      if (round > all_done + 8) all_done = round - 8;
      if (random() % 3 == 0) all_done += random() % (round - all_done);
      if (random() % 4 == 0) continue;
      const std::size_t bytes = 1 + random() % (random() % 2 ? 60 : ring.longest);
      ring.forget(all_done);
      if (const std::uint64_t wanted = ring.in_the_way(bytes)) {
        REQUIRE(wanted > all_done);
        REQUIRE(wanted < round);
        all_done = wanted;
        ring.forget(all_done);
        REQUIRE(ring.in_the_way(bytes) == 0);
      }
      std::erase_if(stay, [&](const Copy& copy) { return copy.round <= all_done; });
      const std::size_t next = ring.next(bytes);
      const std::size_t begin = ring.take(round, bytes);
      REQUIRE(begin == next);
      REQUIRE(begin % 64 == 0);
      REQUIRE(begin + bytes <= size);
      for (const Copy& copy : stay) REQUIRE((begin + bytes <= copy.begin || copy.end <= begin));
      stay.push_back({round, begin, begin + bytes});
    }
  }
  // As many of whole parts as fit.
  ranklet::members::CopyRing<size> ring;
  for (std::uint64_t round = 1; round <= 8; ++round) {
    CHECK(ring.in_the_way(size / 8) == 0);
    CHECK(ring.take(round, size / 8) == (round - 1) * (size / 8));
  }
  CHECK(ring.in_the_way(1) == 1);
  CHECK(ring.in_the_way(size / 2) == 4);
}

TEST_SUITE_END();

}  // namespace copy_ring_walk
