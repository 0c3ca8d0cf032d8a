// What only a rank's own threads may advance goes on while they wait for anything.
#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "ranks/ranks.hpp"
#include "support/ranks.hpp"

using namespace ranklet;

namespace {

// Does a step for each that others have allowed, and ends after the last one.
class Counted final : public OwnerOperation {
 public:
  Counted(Rank& rank, std::uint64_t steps) : rank_(rank), steps_(steps) {}

  void allow(std::uint64_t steps)
  {
    allowed_.publish(steps);
    rank_.wake();
  }
  bool can_advance() const noexcept override { return allowed_.value() > done_.value(); }
  bool is_done() const noexcept { return ended_.is_set(); }
  std::uint64_t steps_done() const noexcept { return done_.value(); }

  std::uint64_t throws_at = 0;
  memmodel::Counter<> workers, wrong;

 private:
  bool work() override
  {
    if (workers.add(1) != 1 || current_rank() != &rank_) wrong.add(1);
    while (can_advance()) {
      const std::uint64_t next = done_.value() + 1;
      if (next == throws_at) {
        throws_at = 0;
        workers.add(-1);
        throw std::runtime_error("thrown by the user");
      }
      done_.publish(next);
    }
    const bool more = done_.value() < steps_;
    if (!more) rank_.progress.remove(*this);
    workers.add(-1);
    if (!more) {
      ended_.set();
      rank_.wake();
    }
    return more;
  }

  Rank& rank_;
  const std::uint64_t steps_;
  memmodel::Sequence<> allowed_, done_;
  memmodel::Flag<> ended_;
};

JobOptions options(WaitPolicy policy)
{
  JobOptions made;
  made.wait = policy;
  return made;
}

constexpr WaitPolicy policies[] = {{.spins = 2000, .yields = 200, .park = true},
                                   {.spins = 0, .yields = 1, .park = true},
                                   {.spins = 0, .first_looks = 50, .yields = 1, .park = true},
                                   {.spins = 10, .yields = 1, .park = false}};

}  // namespace

TEST_CASE("a wait at the rank's own place, or elsewhere, serves the list, step by step")
{
  for (const WaitPolicy& policy : policies) {
    for (const bool elsewhere : {false, true}) {
      constexpr std::uint64_t steps = 20;
      Job job(2, options(policy));
      memmodel::Parking<> spot;
      memmodel::Flag<> end;
      Counted operation(job.rank(0), steps);
      test::run_ranks(job, [&](Rank& rank) {
        job.set_phase(rank, Phase::active);
        if (rank.world_rank == 0) {
          rank.progress.add(operation);
          wait_until(rank, elsewhere ? spot : rank.parking, [&] { return end.is_set(); });
          CHECK(operation.steps_done() == steps);
          CHECK(rank.progress.is_empty());
          return;
        }
        // Each step is done before the next is allowed: by a sleeper that nothing else wakes. So long that
        // all policies come to sleep now and then.
        for (std::uint64_t step = 1; step <= steps; ++step) {
          const auto begin = std::chrono::steady_clock::now();
          while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(step == steps ? 30 : 1))
            std::this_thread::yield();
          operation.allow(step);
          while (operation.steps_done() < step) std::this_thread::yield();
        }
        end.set();
        (elsewhere ? spot : job.rank(0).parking).notify();
      });
      CHECK(operation.wrong.value() == 0);
    }
  }
}

TEST_CASE("a wait is no deadlock while something on the list can go on, and one when nothing can")
{
  std::string report;
  JobOptions made = options({.spins = 0, .yields = 1, .park = true});
  made.on_abort = [&](Rank*, int, const std::string& why) { report = why; };
  Job job(1, std::move(made));
  Counted operation(job.rank(0), 2);
  test::run_ranks(job, [&](Rank& rank) {
    job.set_phase(rank, Phase::active);
    rank.progress.add(operation);
    operation.allow(1);
    wait_until(rank, rank.parking, [] { return false; });
  });
  CHECK(operation.steps_done() == 1);
  CHECK(report.starts_with("deadlock"));
  job.rank(0).progress.remove(operation);
}

TEST_CASE("what the user's function throws leaves the wait; the operation goes on afterwards")
{
  Job job(1, options({}));
  Counted operation(job.rank(0), 3);
  operation.throws_at = 2;
  test::run_ranks(job, [&](Rank& rank) {
    rank.progress.add(operation);
    operation.allow(3);
    CHECK_THROWS_AS(wait_until(rank, rank.parking, [&] { return operation.is_done(); }), std::runtime_error);
    CHECK(operation.steps_done() == 1);
    wait_until(rank, rank.parking, [&] { return operation.is_done(); });
    CHECK(operation.steps_done() == 3);
  });
}

TEST_CASE("several threads of a rank serve many operations, each by one at a time")
{
  constexpr int threads = 3, operations = 40;
  constexpr std::uint64_t steps = 50;
  for (const WaitPolicy& policy : policies) {
    Job job(2, options(policy));
    std::vector<std::unique_ptr<Counted>> all;
    for (int i = 0; i < operations; ++i) all.push_back(std::make_unique<Counted>(job.rank(0), steps));
    memmodel::Counter<> started;
    test::run_ranks(job, [&](Rank& rank) {
      rank.set_thread_level(ThreadLevel::multiple);
      job.set_phase(rank, Phase::active);
      if (rank.world_rank == 1) {
        while (started.value() < operations) std::this_thread::yield();
        for (std::uint64_t step = 1; step <= steps; ++step)
          for (const auto& operation : all) operation->allow(step);
        return;
      }
      // Each thread starts some, and waits for all at places of its own.
      const auto serve = [&](int me) {
        memmodel::Parking<> spot;
        bind_current_rank(&rank);
        for (int i = me; i < operations; i += threads) {
          rank.progress.add(*all[static_cast<std::size_t>(i)]);
          started.add(1);
        }
        for (int i = 0; i < operations; ++i) {
          const Counted& operation = *all[static_cast<std::size_t>((i + me) % operations)];
          wait_until(rank, me == 0 ? rank.parking : spot, [&] { return operation.is_done(); });
        }
      };
      std::vector<std::thread> others;
      for (int i = 1; i < threads; ++i) others.emplace_back([&, i] { serve(i); });
      serve(0);
      for (std::thread& other : others) other.join();
      CHECK(rank.progress.is_empty());
    });
    for (const auto& operation : all) {
      CHECK(operation->steps_done() == steps);
      CHECK(operation->wrong.value() == 0);
    }
  }
}
