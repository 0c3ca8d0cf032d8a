// Two ranks that talk with each other: their messages go by a shuttle (memmodel/mailbox.hpp) where they can.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "p2p/engine.hpp"
#include "p2p/random_traffic.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using test::byte_type;
using test::complete;
using test::int_type;
using test::made_of;
using test::on_random_ranks;
using test::on_ranks;
using test::PendingSends;
using test::receives;

namespace {

// Enough for two ranks to get a shuttle, or to give up the one that they have.
constexpr int long_talk = 200;

Engine& engine_at(Communicator& world, int rank)
{
  return *world.peer(rank).p2p;
}

// How many ends the shuttle between the two has.
int ends_of_shuttle(Communicator& world, int one, int other)
{
  return engine_at(world, one).has_shuttle_to(engine_at(world, other)) +
         engine_at(world, other).has_shuttle_to(engine_at(world, one));
}

bool have_shuttle(Communicator& world, int one, int other)
{
  return ends_of_shuttle(world, one, other) == 2;
}

// The same of two that wait for each other.
int ends_when_both_are_here(Communicator& world)
{
  const int other = 1 - world.rank();
  test::tell(world, other);
  test::hear(world, other);
  const int ends = ends_of_shuttle(world, 0, 1);
  test::tell(world, other);
  test::hear(world, other);
  return ends;
}

void send_bytes(Communicator& world, const std::vector<unsigned char>& data, int dest, int tag)
{
  send(world, Mode::standard, data.data(), static_cast<Count>(data.size()), byte_type(), dest, tag);
}

// Messages of one int, to and fro; how many had another content than they should.
int talk(Communicator& world, int partner, bool begins, int rounds = long_talk)
{
  int wrong = 0;
  for (int i = 0; i < rounds; ++i) {
    int got = -1;
    if (begins) send(world, Mode::standard, &i, 1, int_type(), partner, i);
    receive(world, &got, 1, int_type(), partner, i, nullptr);
    if (!begins) send(world, Mode::standard, &got, 1, int_type(), partner, i);
    wrong += got != i;
  }
  return wrong;
}

}  // namespace

TEST_CASE("shuttles: two that talk get one, and all sizes go to and fro whole")
{
  std::atomic<int> wrong = 0, shuttles = 0;
  on_ranks(2, [&](Communicator& world) {
    const int other = 1 - world.rank();
    wrong += talk(world, other, world.rank() == 0);
    shuttles += have_shuttle(world, 0, 1);
    std::mt19937 random(1);
    for (Count bytes = 0; bytes < 1100; ++bytes) {
      const auto data = made_of(bytes, static_cast<unsigned>(bytes));
      if (world.rank() == 0) send_bytes(world, data, 1, 0);
      if (!receives(world, data, other, 0, random)) ++wrong;
      if (world.rank() == 1) send_bytes(world, data, 0, 0);
    }
  });
  CHECK(wrong == 0);
  CHECK(shuttles == 2);
}

TEST_CASE("shuttles: not where ranks share cores, nor for several threads, nor for oneself")
{
  std::atomic<int> wrong = 0, shuttles = 0;
  const auto body = [&](Communicator& world) {
    wrong += talk(world, 1 - world.rank(), world.rank() == 0);
    shuttles += have_shuttle(world, 0, 1);
  };
  on_ranks(2, body, 1);
  on_ranks(2, body, 2, ThreadLevel::multiple);
  on_ranks(1, [&](Communicator& world) {
    for (int i = 0; i < long_talk; ++i) {
      int got = -1;
      send(world, Mode::standard, &i, 1, int_type(), 0, i);
      receive(world, &got, 1, int_type(), 0, i, nullptr);
      wrong += got != i;
    }
    shuttles += have_shuttle(world, 0, 0);
  });
  CHECK(wrong == 0);
  CHECK(shuttles == 0);
}

TEST_CASE("shuttles: not with one that has several threads; who gets some talks on")
{
  std::atomic<int> wrong = 0, shuttles = 0;
  on_ranks(2, [&](Communicator& world) {
    if (world.rank() == 1) world.self().set_thread_level(ThreadLevel::multiple);
    wrong += talk(world, 1 - world.rank(), world.rank() == 0);
    shuttles += ends_of_shuttle(world, 0, 1);
  });
  CHECK(shuttles == 0);
  on_ranks(2, [&](Communicator& world) {
    wrong += talk(world, 1 - world.rank(), world.rank() == 0);
    if (world.rank() == 1) world.self().set_thread_level(ThreadLevel::multiple);
    wrong += talk(world, 1 - world.rank(), world.rank() == 0);
  });
  CHECK(wrong == 0);
}

TEST_CASE("shuttles: given up where both speak at once, or one in long messages; not for one now and then")
{
  struct Talk {
    const char* what;
    bool at_once;
    int long_each;  // answer, or 0
    Count bytes;    // of a long one
    int ends;       // of the shuttle behind it
  };
  for (const Talk& kind :
       {Talk{"both at once", true, 0, 0, 0}, Talk{"long answers", false, 1, 2000, 0},
        Talk{"answers that wait", false, 1, 20000, 0}, Talk{"every third is long", false, 3, 2000, 0},
        Talk{"some are long", false, 12, 2000, 2}, Talk{"some wait", false, 12, 20000, 2}}) {
    CAPTURE(kind.what);
    std::atomic<int> wrong = 0;
    on_ranks(2, [&](Communicator& world) {
      const int other = 1 - world.rank();
      const bool begins = world.rank() == 0;
      wrong += talk(world, other, begins);
      wrong += ends_when_both_are_here(world) != 2;
      const auto sent_to = [&](int rank, int i) {
        const bool is_long = rank == 0 && kind.long_each > 0 && i % kind.long_each == 0;
        return made_of(is_long ? kind.bytes : 20, static_cast<unsigned>(i));
      };
      for (int i = 0; i < long_talk; ++i) {
        const auto mine = sent_to(other, i), theirs = sent_to(world.rank(), i);
        if (begins || kind.at_once) send_bytes(world, mine, other, 0);
        std::vector<unsigned char> got(theirs.size());
        receive(world, got.data(), static_cast<Count>(got.size()), byte_type(), other, 0, nullptr);
        wrong += got != theirs;
        if (!begins && !kind.at_once) send_bytes(world, mine, other, 0);
      }
      wrong += ends_when_both_are_here(world) != kind.ends;
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("shuttles: who was left for another one gets one again at once")
{
  std::atomic<int> wrong = 0;
  on_ranks(
      3,
      [&](Communicator& world) {
        for (const int partner : {1, 2, 1, 1, 2}) {
          if (world.rank() == 0) {
            wrong += talk(world, partner, true);
            wrong += !have_shuttle(world, 0, partner);
          } else if (world.rank() == partner) {
            wrong += talk(world, 0, false);
          }
        }
      },
      8);
  CHECK(wrong == 0);
}

TEST_CASE("shuttles: what one has missed says nothing of the next one")
{
  std::atomic<int> wrong = 0;
  constexpr int to_give_up = 16;
  on_ranks(
      4,
      [&](Communicator& world) {
        const auto pair = [&](int begins, int other, int rounds = long_talk) {
          if (world.rank() == begins) wrong += talk(world, other, true, rounds);
          if (world.rank() == other) wrong += talk(world, begins, false, rounds);
        };
        // The second one leaves the first one's for the third's, and then misses just as many as are allowed.
        pair(1, 0);
        pair(1, 2);
        pair(1, 0, to_give_up);
        pair(0, 3);
        if (world.rank() == 0) wrong += !have_shuttle(world, 0, 3);
      },
      8);
  CHECK(wrong == 0);
}

TEST_CASE("shuttles: they go with the talk from partner to partner")
{
  std::atomic<int> wrong = 0;
  on_ranks(
      4,
      [&](Communicator& world) {
        // Everybody with everybody, twice; in each round all are in pairs.
        for (int round = 0; round < 6; ++round) {
          const int partner = world.rank() ^ (1 + round % 3);
          const bool begins = world.rank() < partner;
          // Who has spoken last to another partner cannot leave that one, which may not have a core now.
          for (int again = 1; again;) {
            wrong += talk(world, partner, begins);
            if (!begins) {
              receive(world, &again, 1, int_type(), partner, 0, nullptr);
              continue;
            }
            again = !have_shuttle(world, world.rank(), partner);
            send(world, Mode::standard, &again, 1, int_type(), partner, 0);
          }
        }
      },
      8);
  CHECK(wrong == 0);
}

TEST_CASE("shuttles: a message by the shuttle waits for a late receive, beside others")
{
  std::atomic<int> wrong = 0;
  on_ranks(2, [&](Communicator& world) {
    wrong += talk(world, 1 - world.rank(), world.rank() == 0);
    if (world.rank() == 0) {
      wrong += !have_shuttle(world, 0, 1);
      // The first one goes by the shuttle, as the turn is with this rank; the others cannot.
      for (int i = 0; i < 5; ++i) send(world, Mode::standard, &i, 1, int_type(), 1, i);
      test::hear(world, 1);
      return;
    }
    Status status;
    std::optional<Status> found;
    while (!(found = iprobe(world, any_source, 4))) memmodel::Native::pause();
    wrong += found->bytes != sizeof(int);
    // In the order of their tags, from the last.
    for (int i = 4; i >= 0; --i) {
      int got = -1;
      receive(world, &got, 1, int_type(), any_source, i, &status);
      wrong += got != i || status.source != 0;
    }
    test::tell(world, 0);
  });
  CHECK(wrong == 0);
}

TEST_CASE("shuttles: random talks, streams and messages of others come in order")
{
  std::atomic<int> steps_with_shuttle = 0;
  on_random_ranks([&](Communicator& world, unsigned seed, std::atomic<int>& wrong) {
    // All know the plan: who sends how many messages of what kind to whom, one after the other.
    std::mt19937 plan(seed);
    std::mt19937 random(seed * 31 + static_cast<unsigned>(world.rank()));
    PendingSends pending(world);
    const auto pick = [&](unsigned of) { return static_cast<int>(plan() % of); };
    const auto ranks = static_cast<unsigned>(world.size());
    int from = 0, to = 1;
    for (int step = 0; step < 3000; ++step) {
      // Mostly an answer.
      if (plan() % 8 != 0) {
        std::swap(from, to);
      } else {
        from = pick(ranks);
        to = pick(ranks);
      }
      struct Planned {
        std::vector<unsigned char> data;
        int tag;
        int source;
      };
      // What is received from anybody, or backwards, has a tag of its own; else the order tells.
      const bool backwards = plan() % 16 == 0;
      std::vector<Planned> messages(plan() % 4 == 0 ? 1 + plan() % 5 : 1);
      for (Planned& message : messages) {
        const Count bytes = pick(pick(8) == 0 ? 20000 : 1200);
        message.data = made_of(bytes, static_cast<unsigned>(plan()));
        const bool named = !backwards && plan() % 2 == 0;
        message.source = named ? from : any_source;
        message.tag = named ? 0 : step * 8 + static_cast<int>(&message - messages.data());
      }
      const bool synchronous = plan() % 8 == 0;
      if (world.rank() == from) {
        steps_with_shuttle += have_shuttle(world, from, to);
        for (const Planned& message : messages) {
          if (synchronous || from == to)
            pending.start(synchronous ? Mode::synchronous : Mode::standard, message.data, to, message.tag);
          else
            send_bytes(world, message.data, to, message.tag);
        }
      }
      if (backwards) std::reverse(messages.begin(), messages.end());
      if (world.rank() == to)
        for (const Planned& message : messages)
          if (!receives(world, message.data, message.source, message.tag, random)) ++wrong;
      while (pending.size() > 8) pending.complete_first();
    }
    pending.complete_all();
  });
  CHECK(steps_with_shuttle > 0);
}
