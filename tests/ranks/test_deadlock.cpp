// The watch over waits that nobody can end.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ranks/ranks.hpp"
#include "support/ranks.hpp"

using namespace ranklet;

namespace {

JobOptions watched(std::string& report)
{
  JobOptions options;
  options.wait = WaitPolicy{.spins = 0, .yields = 1, .park = true};
  // Several ranks may find the same deadlock at once.
  options.on_abort = [&report, lock = std::make_shared<std::mutex>()](Rank*, int, const std::string& why) {
    const std::lock_guard guard(*lock);
    if (report.empty()) report = why;
  };
  return options;
}

// Runs body on n ranks and gives the report, empty if there was none.
std::string report_of(int n, ThreadLevel level, const std::function<void(Rank&)>& body,
                      std::function<int(int)> live_threads = nullptr,
                      std::function<int(int)> sleeping_threads = nullptr)
{
  std::string report;
  JobOptions options = watched(report);
  options.live_threads = std::move(live_threads);
  options.sleeping_threads = std::move(sleeping_threads);
  Job job(n, options);
  test::run_ranks(job, [&](Rank& rank) {
    rank.set_thread_level(level);
    job.set_phase(rank, Phase::active);
    body(rank);
  });
  return report;
}

void wait_for_ever(Rank& rank)
{
  wait_until(rank, rank.parking, [] { return false; });
}

// While it lives, the thread of the active rank is in a call.
class InCall {
 public:
  explicit InCall(Rank& rank)
  {
    rank.job.set_phase(rank, Phase::active);
    set_current_call(&note_);
  }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
  ~InCall() { set_current_call(nullptr); }

 private:
  const CallNote note_{nullptr, reinterpret_cast<const void*>(&wait_for_ever),
                       [](const CallNote&) { return std::string("a call"); }};
};

// Waits until it is done; attempts: how often all who wait have looked.
void wait_counting(Rank& rank, std::atomic<int>& attempts, const memmodel::Flag<>& done)
{
  wait_until(
      rank, rank.parking,
      [&] {
        attempts.fetch_add(1, std::memory_order_relaxed);
        return done.is_set();
      },
      [&] { return done.is_set(); });
}

}  // namespace

TEST_CASE("ranks that all wait for ever are reported, each by its number")
{
  const std::string report = report_of(3, ThreadLevel::single, wait_for_ever);
  CHECK(report.starts_with("deadlock"));
  for (const char* name : {"rank 0", "rank 1", "rank 2"}) CHECK(report.find(name) != report.npos);
}

TEST_CASE("a rank that has ended helps nobody")
{
  const std::string report = report_of(2, ThreadLevel::single, [](Rank& rank) {
    if (rank.world_rank == 0) wait_for_ever(rank);
    rank.job.set_phase(rank, Phase::finalized);
    rank.job.leave(rank, 0);
  });
  CHECK(report.starts_with("deadlock"));
  CHECK(report.find("rank 1  has ended") != report.npos);
}

TEST_CASE("ranks of several worlds that wait for each other are reported by world")
{
  std::string report;
  Job* jobs[2] = {};
  JobOptions options = watched(report);
  // Ranks of either may find it, and both are to end, as in a host.
  options.on_abort = [&jobs, note = options.on_abort](Rank* who, int code, const std::string& why) {
    note(who, code, why);
    for (Job* const job : jobs) job->cancel();
  };
  Job first(2, options);
  options.spawner = &first.rank(0);
  options.world = 2;
  Job second(2, options);
  jobs[0] = &first;
  jobs[1] = &second;
  const auto body = [](Rank& rank) {
    rank.job.set_phase(rank, Phase::active);
    wait_for_ever(rank);
  };
  std::thread others([&] { test::run_ranks(second, body); });
  test::run_ranks(first, body);
  others.join();
  CHECK(report.starts_with("deadlock: every rank waits for another one"));
  for (const char* name : {"  rank 0  ", "  rank 1  ", "  rank 0 of world 2  ", "  rank 1 of world 2  "})
    CHECK(report.find(name) != report.npos);
}

TEST_CASE("a world that waits for one that works is no deadlock")
{
  std::string report;
  Job first(1, watched(report));
  JobOptions options = watched(report);
  options.spawner = &first.rank(0);
  options.world = 2;
  Job second(1, options);
  memmodel::Flag<> done;
  std::atomic<int> attempts = 0;
  std::thread worker([&] {
    test::run_ranks(second, [&](Rank& rank) {
      rank.job.set_phase(rank, Phase::active);
      while (attempts.load(std::memory_order_relaxed) < 20) std::this_thread::yield();
      done.set();
      first.rank(0).parking.notify();
    });
  });
  test::run_ranks(first, [&](Rank& rank) {
    rank.job.set_phase(rank, Phase::active);
    wait_until(
        rank, rank.parking,
        [&] {
          attempts.fetch_add(1, std::memory_order_relaxed);
          return done.is_set();
        },
        [&] { return done.is_set(); });
  });
  worker.join();
  CHECK(report == "");
}

TEST_CASE("a rank that has finalized MPI may come back")
{
  std::atomic<int> attempts = 0;
  memmodel::Flag<> done;
  const std::string report = report_of(2, ThreadLevel::single, [&](Rank& rank) {
    if (rank.world_rank == 1) {
      rank.job.set_phase(rank, Phase::finalized);
      while (attempts.load(std::memory_order_relaxed) < 20 && !rank.job.cancelled())
        std::this_thread::yield();
      rank.job.set_phase(rank, Phase::active);
      done.set();
      rank.job.rank(0).parking.notify();
      return;
    }
    wait_until(
        rank, rank.parking,
        [&] {
          attempts.fetch_add(1, std::memory_order_relaxed);
          return done.is_set();
        },
        [&] { return done.is_set(); });
  });
  CHECK(report == "");
}

TEST_CASE("a job is not dead while a rank does something else, however long the others wait")
{
  std::atomic<int> attempts = 0;
  memmodel::Flag<> done;
  const std::string report = report_of(3, ThreadLevel::single, [&](Rank& rank) {
    if (rank.world_rank == 0) {
      while (attempts.load(std::memory_order_relaxed) < 40) std::this_thread::yield();
      done.set();
      for (int i = 1; i < 3; ++i) rank.job.rank(i).parking.notify();
      return;
    }
    wait_until(
        rank, rank.parking,
        [&] {
          attempts.fetch_add(1, std::memory_order_relaxed);
          return done.is_set();
        },
        [&] { return done.is_set(); });
  });
  CHECK(report == "");
}

TEST_CASE("a job is not dead while something outside MPI may end a wait")
{
  std::atomic<int> attempts = 0;
  memmodel::Flag<> done;
  Rank* waiting = nullptr;
  std::thread outside;
  const std::string report = report_of(1, ThreadLevel::single, [&](Rank& rank) {
    rank.outside_events.add(1);
    waiting = &rank;
    outside = std::thread([&] {
      while (attempts.load(std::memory_order_relaxed) < 20) std::this_thread::yield();
      done.set();
      waiting->parking.notify();
    });
    wait_counting(rank, attempts, done);
    outside.join();
  });
  CHECK(report == "");
}

// It waits for another one, or for its own token as in MPI_Irecv from itself. The third one copies to it,
// and takes its time.
TEST_CASE("a rank for which a third one is at work is not stuck")
{
  std::atomic<int> attempts = 0;
  memmodel::Flag<> done;
  memmodel::Token<> token;
  std::string report;
  JobOptions options = watched(report);
  options.partners = [](Rank&, const CallNote&) {
    return WaitPartners{.anybody = false, .ranks = {0, 1}, .sets = {}};
  };
  Job job(3, options);
  job.rank(0).matching = &token;
  REQUIRE(token.try_acquire());
  test::run_ranks(job, [&](Rank& rank) {
    const InCall in_call(rank);
    if (rank.world_rank == 2) {
      while (attempts.load(std::memory_order_relaxed) < 18 && !job.cancelled()) std::this_thread::yield();
      done.set();
      token.release();
      for (int i = 0; i < 2; ++i) job.rank(i).parking.notify();
    } else {
      wait_counting(rank, attempts, done);
    }
  });
  CHECK(report == "");
}

TEST_CASE("ranks that wait for each other are reported while others go on")
{
  // Ranks 0 and 1 wait for each other, 2 for 0; 3 works until it is cancelled.
  std::string report;
  JobOptions options = watched(report);
  options.partners = [](Rank& rank, const CallNote&) {
    return WaitPartners{.anybody = false, .ranks = {rank.world_rank == 0 ? 1 : 0}, .sets = {}};
  };
  Job job(4, options);
  test::run_ranks(job, [&](Rank& rank) {
    const InCall in_call(rank);
    while (rank.world_rank == 3 && !job.cancelled()) std::this_thread::yield();
    wait_for_ever(rank);
  });
  // Whether 2 is among them depends on when it comes.
  CHECK(report.starts_with("deadlock: ranks 0"));
  CHECK(report.find("can only wait for each other") != report.npos);
  CHECK(report.find("each waits for the next one: 0 -> 1 -> 0\n") != report.npos);
  CHECK(report.find("rank 3  can go on") != report.npos);
}

TEST_CASE("ranks that wait, at the end of a chain, for one that works are not stuck")
{
  std::atomic<int> attempts = 0;
  memmodel::Flag<> done;
  std::string report;
  JobOptions options = watched(report);
  options.partners = [](Rank& rank, const CallNote&) {
    return WaitPartners{.anybody = false, .ranks = {rank.world_rank + 1}, .sets = {}};
  };
  Job job(3, options);
  test::run_ranks(job, [&](Rank& rank) {
    const InCall in_call(rank);
    if (rank.world_rank == 2) {
      while (attempts.load(std::memory_order_relaxed) < 40) std::this_thread::yield();
      done.set();
      for (int i = 0; i < 2; ++i) job.rank(i).parking.notify();
    } else {
      wait_counting(rank, attempts, done);
    }
  });
  CHECK(report == "");
}

TEST_CASE("a rank with several threads waits when all of them do")
{
  const auto two_threads = [](Rank& rank) {
    const auto quietly = [](Rank& self) {
      try {
        wait_for_ever(self);
      } catch (const JobCancelled&) {
      }
    };
    std::thread other(quietly, std::ref(rank));
    quietly(rank);
    other.join();
  };
  const std::string report = report_of(2, ThreadLevel::multiple, two_threads, [](int) { return 2; });
  CHECK(report.starts_with("deadlock"));
}

TEST_CASE("threads that sleep count as if they waited, and the report says so")
{
  std::atomic<int> asked = 0;
  const std::string report = report_of(
      2, ThreadLevel::multiple, wait_for_ever, [](int rank) { return rank == 0 ? 3 : 1; },
      [&](int) { return ++asked < 10 ? 1 : 2; });
  CHECK(asked.load() >= 10);
  CHECK(report.starts_with("suspected deadlock: every rank waits for another one\n"));
  CHECK(report.find(
            "  rank 0  waits\n"
            "          2 further threads have slept for seconds until another thread of the rank wakes them\n"
            "  rank 1  waits\n") != report.npos);
}

TEST_CASE("where all other threads of the process sleep, a rank's further threads do, and the report says so")
{
  std::atomic<int> asked = 0;
  std::atomic<std::size_t> most_known = 0;
  std::string report;
  JobOptions options = watched(report);
  options.live_threads = [](int rank) { return rank == 0 ? 3 : 1; };
  options.others_sleep = [&](const std::vector<pid_t>& waiting) {
    most_known = std::max(most_known.load(), waiting.size());
    return ++asked >= 10;
  };
  Job job(2, options);
  std::vector<pid_t> threads(2);
  test::run_ranks(job, [&](Rank& rank) {
    rank.set_thread_level(ThreadLevel::multiple);
    job.set_phase(rank, Phase::active);
    wait_for_ever(rank);
  });
  CHECK(asked.load() >= 10);
  CHECK(most_known.load() == 2);
  CHECK(report.starts_with("suspected deadlock: every rank waits for another one\n"));
  CHECK(report.find(
            "  rank 0  waits\n          has, or may have, further threads, but all others of the process "
            "have slept for seconds until another thread wakes them\n  rank 1  waits\n") != report.npos);
}

TEST_CASE("the process is asked only of ranks that may have further threads")
{
  std::atomic<int> asked = 0;
  std::string report;
  JobOptions options = watched(report);
  options.live_threads = [](int) { return 1; };
  options.others_sleep = [&](const std::vector<pid_t>&) {
    ++asked;
    return false;
  };
  const auto threads = {ThreadLevel::multiple, ThreadLevel::serialized};
  for (const ThreadLevel level : threads) {
    // Below MPI_THREAD_MULTIPLE no other thread may be in MPI meanwhile.
    if (level == ThreadLevel::serialized) options.live_threads = [](int) { return 5; };
    report.clear();
    Job job(2, options);
    test::run_ranks(job, [&](Rank& rank) {
      rank.set_thread_level(level);
      job.set_phase(rank, Phase::active);
      wait_for_ever(rank);
    });
    CHECK(report.starts_with("deadlock: every rank"));
  }
  CHECK(asked.load() == 0);
}

TEST_CASE("threads of a rank may be woken by a rank that is about to go on")
{
  // Rank 0 waits for itself alone, and 1 for 2, which works. What 1 waits for has come when 0 looks.
  std::string report;
  std::atomic<int> attempts = 0;
  memmodel::Flag<> done;
  JobOptions options = watched(report);
  options.live_threads = [](int rank) { return rank == 0 ? 2 : 1; };
  // As if 2 slept.
  options.others_sleep = [](const std::vector<pid_t>& waiting) {
    return waiting.size() == 2 && current_rank()->world_rank == 0;
  };
  options.partners = [](Rank& rank, const CallNote&) {
    return WaitPartners{.anybody = false, .ranks = {rank.world_rank == 0 ? 0 : 2}, .sets = {}};
  };
  Job job(3, options);
  test::run_ranks(job, [&](Rank& rank) {
    rank.set_thread_level(ThreadLevel::multiple);
    const InCall in_call(rank);
    if (rank.world_rank == 0) {
      wait_until(rank, rank.parking, [&] { return done.is_set(); });
    } else if (rank.world_rank == 2) {
      while (!done.is_set()) std::this_thread::yield();
    } else {
      wait_until(
          rank, rank.parking, [&] { return attempts.fetch_add(1, std::memory_order_relaxed) == 10; },
          [me = std::this_thread::get_id()] { return std::this_thread::get_id() != me; });
      done.set();
      job.rank(0).parking.notify();
    }
  });
  CHECK(report == "");
}

TEST_CASE("a wait that is ready only when it is tried is no deadlock")
{
  // Each rank's attempt is what lets the other one go on, one step at a time.
  std::atomic<int> steps[2] = {0, 0};
  const std::string report = report_of(2, ThreadLevel::single, [&](Rank& rank) {
    const int me = rank.world_rank;
    for (int wanted = 1; wanted <= 3; ++wanted) {
      wait_until(
          rank, rank.parking,
          [&] {
            if (steps[me].load(std::memory_order_relaxed) < wanted)
              steps[me].fetch_add(1, std::memory_order_relaxed);
            return steps[1 - me].load(std::memory_order_relaxed) >= wanted;
          },
          [] { return false; });
    }
  });
  CHECK(report == "");
}

TEST_CASE("what a long wait of many ranks for one costs the watch does not grow with their number squared")
{
  constexpr int n = 200;
  std::atomic<int> attempts = 0;
  memmodel::Flag<> done;
  std::string report;
  JobOptions options = watched(report);
  std::shared_ptr<std::vector<Rank*>> everybody = std::make_shared<std::vector<Rank*>>();
  options.partners = [&](Rank&, const CallNote&) {
    return WaitPartners{.anybody = false, .ranks = {}, .sets = {everybody}};
  };
  Job job(n, options);
  for (int i = 0; i < n; ++i) everybody->push_back(&job.rank(i));
  test::run_ranks(job, [&](Rank& rank) {
    const InCall in_call(rank);
    if (rank.world_rank == n / 2) {
      // Everybody lies down more than once.
      while (attempts.load(std::memory_order_relaxed) < 10 * n) std::this_thread::yield();
      done.set();
      for (int i = 0; i < n; ++i) job.rank(i).parking.notify();
    } else {
      wait_counting(rank, attempts, done);
    }
  });
  CHECK(report == "");
  CHECK(job.deadlocks.steps() < 20 * n);
}

TEST_CASE("the end of a rank is noticed by those who wait for it, however long they sleep")
{
  // So many sleepers that none of them would get up by itself for a long while.
  constexpr int n = 300;
  std::atomic<int> lying = 0;
  const std::string report = report_of(n, ThreadLevel::single, [&](Rank& rank) {
    if (rank.world_rank > 0) {
      wait_until(
          rank, rank.parking,
          [attempts = 0, &lying]() mutable {
            if (++attempts == 6) lying.fetch_add(1, std::memory_order_relaxed);
            return false;
          },
          [] { return false; });
    }
    while (lying.load(std::memory_order_relaxed) < n - 1) std::this_thread::yield();
    const auto begin = std::chrono::steady_clock::now();
    rank.job.set_phase(rank, Phase::finalized);
    rank.job.leave(rank, 0);
    while (!rank.job.cancelled()) std::this_thread::yield();
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(1500));
  });
  CHECK(report.starts_with("deadlock"));
}
