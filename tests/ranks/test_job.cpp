#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "ranks/ranks.hpp"
#include "support/ranks.hpp"

using namespace ranklet;

TEST_CASE("every rank runs once and knows itself")
{
  Job job(7, {});
  std::vector<int> seen(7, 0);
  test::run_ranks(job, [&](Rank& rank) {
    if (current_rank() == &rank) ++seen[static_cast<std::size_t>(rank.world_rank)];
  });
  CHECK(seen == std::vector<int>(7, 1));
  CHECK(current_rank() == nullptr);
}

TEST_CASE("ranks wait as the job says, until it is told another way")
{
  JobOptions options;
  options.wait = {.spins = 0, .yields = 3, .park = true};
  Job job(2, options);
  CHECK(job.wait_policy().yields == 3);
  std::atomic<bool> otherwise = false;
  test::run_ranks(job, [&](Rank& rank) {
    if (rank.world_rank == 1) {
      job.wait_by({.spins = 70, .yields = 7, .park = false});
      otherwise.store(true, std::memory_order_release);
    } else {
      // It sleeps by the first policy, or works by the second.
      wait_until(rank, rank.parking, [&] { return otherwise.load(std::memory_order_acquire); });
    }
  });
  CHECK(job.wait_policy().spins == 70);
  CHECK_FALSE(job.wait_policy().park);
  job.wait_by({.spins = 1, .yields = 1, .park = true});
  CHECK(job.wait_policy().spins == 70);
}

TEST_CASE("an exception on one rank cancels those who wait and reaches the caller")
{
  Job job(4, {});
  std::atomic<int> cancelled = 0;
  const auto body = [&](Rank& rank) {
    if (rank.world_rank == 2) throw std::runtime_error("rank 2 fails");
    try {
      wait_until(rank, rank.parking, [] { return false; });
    } catch (const JobCancelled&) {
      cancelled.fetch_add(1, std::memory_order_relaxed);
      throw;
    }
  };
  CHECK_THROWS_WITH(test::run_ranks(job, body), "rank 2 fails");
  CHECK(cancelled.load(std::memory_order_relaxed) == 3);
}

TEST_CASE("a stopped rank goes on when no thread of another one is inside any more")
{
  Job job(2, {});
  std::atomic<bool> stopped = false, gone_early = false;
  test::run_ranks(job, [&](Rank& rank) {
    if (rank.world_rank == 0) {
      job.cancel();
      // Counted until the end of this function. Longer than it takes to stop.
      for (int i = 0; i < 100 && !stopped; ++i) rank.parking.park([&] { return stopped.load(); }, 1);
      gone_early = stopped.load();
      return;
    }
    try {
      wait_until(rank, rank.parking, [] { return false; });
    } catch (const JobCancelled&) {
      stopped = true;
      throw;
    }
  });
  CHECK(stopped);
  CHECK_FALSE(gone_early);
}

TEST_CASE("threads inside are counted once, and only while they are")
{
  Job job(1, {});
  Rank& rank = job.rank(0);
  CHECK(job.enter(rank));
  CHECK_FALSE(job.enter(rank));
  CHECK(rank.inside.value() == 1);
  Job::leave_mpi();
  Job::leave_mpi();
  CHECK(rank.inside.value() == 0);
  // A thread that waits for rest is not inside.
  CHECK(job.enter(rank));
  job.cancel();
  job.await_rest();
  CHECK(rank.inside.value() == 0);
}

TEST_CASE("a rank that leaves without finalize ends the job of those who wait")
{
  for (const Phase reached : {Phase::before_init, Phase::active}) {
    JobOptions options;
    std::atomic<int> deserter = -1, code = 0;
    options.on_abort = [&](Rank* who, int exit_code, const std::string&) {
      deserter.store(who->world_rank, std::memory_order_relaxed);
      code.store(exit_code, std::memory_order_relaxed);
    };
    Job job(3, options);
    test::run_ranks(job, [&](Rank& rank) {
      job.set_phase(rank, rank.world_rank == 1 ? reached : Phase::active);
      if (rank.world_rank == 1)
        job.leave(rank, 0);
      else
        wait_until(rank, rank.parking, [] { return false; });
    });
    CHECK(deserter.load(std::memory_order_relaxed) == 1);
    CHECK(code.load(std::memory_order_relaxed) == 1);
  }
}

TEST_CASE("extensions are made for every rank and taken away in reverse order")
{
  static std::vector<int> order;
  order.clear();
  {
    JobOptions options;
    options.extensions.push_back(
        {[](Rank&) { order.push_back(1); }, [](Rank&) noexcept { order.push_back(-1); }});
    options.extensions.push_back(
        {[](Rank&) { order.push_back(2); }, [](Rank&) noexcept { order.push_back(-2); }});
    Job job(2, options);
  }
  CHECK(order == std::vector<int>{1, 1, 2, 2, -2, -2, -1, -1});
}
