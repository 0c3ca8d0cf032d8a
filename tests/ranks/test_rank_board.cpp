#include <doctest/doctest.h>

#include <atomic>

#include "ranks/ranks.hpp"
#include "support/ranks.hpp"

using namespace ranklet;

TEST_CASE("members read each other's items of the same round, with more ranks than cores")
{
  constexpr int members = 9;
  constexpr int rounds = 300;
  JobOptions options;
  options.wait = WaitPolicy::automatic(members, 2);
  Job job(members, options);
  Board board(members);
  std::atomic<int> wrong = 0;
  test::run_ranks(job, [&](Rank& rank) {
    const int me = rank.world_rank;
    for (int round = 0; round < rounds; ++round) {
      const int value = round * members + me;  // dies at the end of the round: nobody may read it later
      board.post(me, &value);
      for (int peer = 0; peer < members; ++peer) {
        const int seen = *static_cast<const int*>(board.item(rank, me, peer));
        if (seen != round * members + peer) wrong.fetch_add(1, std::memory_order_relaxed);
      }
      board.close(me);
      board.await_closed(rank, me);
    }
  });
  CHECK(wrong.load(std::memory_order_relaxed) == 0);
}

TEST_CASE("where one hears all and tells all, the others wait once")
{
  constexpr int members = 9;
  constexpr int rounds = 300;
  JobOptions options;
  options.wait = WaitPolicy::automatic(members, 2);
  Job job(members, options);
  Board board(members);
  std::atomic<int> wrong = 0;
  test::run_ranks(job, [&](Rank& rank) {
    const int me = rank.world_rank;
    for (int round = 0; round < rounds; ++round) {
      const int value = round * members + me;
      int sum = 0;
      board.post(me, &value);
      if (me == 0) {
        for (int peer = 0; peer < members; ++peer)
          sum += *static_cast<const int*>(board.item(rank, me, peer));
        board.close(me);
        board.post(me, &sum);
        board.close(me);
        board.await_closed(rank, me);
      } else {
        board.close(me);
        sum = *static_cast<const int*>(board.next_item(rank, me, 0));
        board.post(me, nullptr);
        board.close(me);
      }
      if (sum != members * members * round + members * (members - 1) / 2)
        wrong.fetch_add(1, std::memory_order_relaxed);
    }
  });
  CHECK(wrong.load(std::memory_order_relaxed) == 0);
}
