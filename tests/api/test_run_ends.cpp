// How runs of ranklet::run end that do not end well, and threads of ranks.
#include <doctest/doctest.h>

#include <ranklet/run.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "api/messages.hpp"
#include "support/text.hpp"

using ranklet::test::contains;
using ranklet::test::receive_from;

namespace {

using Clock = std::chrono::steady_clock;

ranklet::Options multiple()
{
  ranklet::Options options;
  options.thread_level = MPI_THREAD_MULTIPLE;
  options.timeout = std::chrono::minutes(1);
  return options;
}

// Until it is true, but not for longer than that.
template <class Condition>
void look_for(std::chrono::milliseconds longest, Condition&& condition)
{
  for (const auto begin = Clock::now(); !condition() && Clock::now() - begin < longest;)
    std::this_thread::yield();
}

// A thread that is in this operator's function is inside MPI, where it might as well copy.
std::atomic<bool> working, worked, unwound_early;

void work(void*, void*, int*, MPI_Datatype*)
{
  working = true;
  while (!ranklet::stopping()) std::this_thread::yield();
  look_for(std::chrono::milliseconds(1500), [] { return unwound_early.load(); });
  worked = true;
}

void work_in_mpi()
{
  MPI_Op op;
  MPI_Op_create(&work, 1, &op);
  int in = 0;
  int inout = 0;
  MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
  MPI_Op_free(&op);
}

}  // namespace

TEST_CASE("no stack is unwound while a thread of another rank is inside MPI")
{
  struct Buffer {
    ~Buffer()
    {
      if (!worked) unwound_early = true;
    }
  };
  bool by_thread = false;
  SUBCASE("the rank's own thread") {}
  SUBCASE("another thread, while the own one has stopped")
  {
    by_thread = true;
  }
  working = worked = unwound_early = false;
  const ranklet::Report report = ranklet::run(
      2,
      [&](int rank) {
        if (rank == 1) {
          const Buffer buffer;
          while (!working) std::this_thread::yield();
          throw std::runtime_error("gone");
        }
        if (!by_thread) return work_in_mpi();
        const ranklet::Thread thread(work_in_mpi);
        receive_from(1);
      },
      multiple());
  CHECK(report.rank(1).what == "std::runtime_error: gone");
  CHECK(worked);
  CHECK_FALSE(unwound_early);
}

TEST_CASE("a rank that computes does not delay the calls in destructors of stopped ones")
{
  struct Comms {
    MPI_Comm comms[3];
    Comms()
    {
      for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_SELF, &comm);
    }
    ~Comms()
    {
      for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
    }
  };
  std::atomic<bool> unwound{false};
  bool in_time = false;
  ranklet::run(2, [&](int rank) {
    struct Witness {
      std::atomic<bool>& flag;
      ~Witness() { flag = true; }
    };
    if (rank == 1) {
      const Witness witness{unwound};
      const Comms comms;
      throw 1;
    }
    look_for(std::chrono::milliseconds(900), [&] { return unwound.load(); });
    in_time = unwound;
  });
  CHECK(in_time);
}

TEST_CASE("the error that ended a rank is told, whatever its function makes of it")
{
  const ranklet::Report thrown = ranklet::run(2, [](int rank) {
    try {
      if (rank == 0) MPI_Send(nullptr, 0, MPI_INT, 5, 0, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
    } catch (...) {
      if (rank == 0) throw std::runtime_error("step failed");
      throw;
    }
  });
  CHECK(thrown.rank(0).end == ranklet::RankResult::End::aborted);
  CHECK(contains(thrown.text(), "MPI error in MPI_Send on rank 0"));

  const ranklet::Report swallowed = ranklet::run(2, [](int, char**) -> int {
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
      if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
      MPI_Barrier(MPI_COMM_WORLD);
    } catch (...) {
    }
    return 0;
  });
  CHECK_FALSE(swallowed.ok());
  CHECK(swallowed.rank(1).end == ranklet::RankResult::End::aborted);
  CHECK(swallowed.rank(1).code == 7);
}

TEST_CASE("a deadlock of ranks at MPI_THREAD_MULTIPLE is a report")
{
  SUBCASE("without further threads")
  {
    const auto report = ranklet::run(
        2, [](int rank) { receive_from(1 - rank); }, multiple());
    CHECK(report.deadlock());
    CHECK(contains(report.text(), "rank 0  MPI_Recv"));
  }
  SUBCASE("with a session beside")
  {
    ranklet::Options options;
    options.timeout = std::chrono::minutes(1);
    const auto report = ranklet::run(
        2,
        [](int rank) {
          MPI_Session session;
          MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
          receive_from(1 - rank);
          MPI_Session_finalize(&session);
        },
        options);
    CHECK(report.deadlock());
  }
  SUBCASE("when all threads wait, and others have ended")
  {
    const auto report = ranklet::run(
        2,
        [](int rank) {
          ranklet::Thread([] {}).join();
          const ranklet::Thread thread([rank] { receive_from(1 - rank, 1); });
          receive_from(1 - rank, 2);
        },
        multiple());
    CHECK(report.deadlock());
    CHECK(contains(report.text(), "tag=1"));
    CHECK(contains(report.text(), "tag=2"));
  }
}

TEST_CASE("a rank with a thread that is busy is in no deadlock")
{
  const auto send_late = [](int rank) {
    look_for(std::chrono::milliseconds(300), [] { return false; });
    MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
  };
  const auto by_thread = ranklet::run(
      2,
      [&](int rank) {
        const ranklet::Thread thread([&] { send_late(rank); });
        receive_from(rank);
      },
      multiple());
  CHECK_MESSAGE(by_thread, by_thread.text());
  const auto by_member = ranklet::run(
      2,
      [&](int rank) {
        const ranklet::ThisRank here;
        std::thread thread([&, here] {
          const ranklet::Member member(here);
          send_late(rank);
        });
        receive_from(rank);
        thread.join();
      },
      multiple());
  CHECK_MESSAGE(by_member, by_member.text());
}

TEST_CASE("threads of a rank end with the run")
{
  // A thread waits for ever while the function is left by an exception, here or elsewhere.
  for (int failing = 0; failing < 2; ++failing) {
    bool returned = false;
    const ranklet::Report report = ranklet::run(
        2,
        [&](int rank) {
          std::vector<ranklet::Thread> threads;
          if (rank == 0)
            threads.emplace_back([&] {
              receive_from(1);
              returned = true;
            });
          if (rank == failing) throw std::runtime_error("now");
          receive_from(1 - rank);
        },
        multiple());
    CHECK(report.first_failure() == failing);
    CHECK(report.rank(failing).what == "std::runtime_error: now");
    CHECK(report.rank(1 - failing).end == ranklet::RankResult::End::stopped);
    CHECK_FALSE(returned);
  }
}

TEST_CASE("an exception that leaves a thread of a rank is the rank's")
{
  const ranklet::Report report = ranklet::run(
      2,
      [](int rank) {
        ranklet::Thread thread;
        if (rank == 1) thread = ranklet::Thread([] { throw std::runtime_error("in a thread"); });
        receive_from(1 - rank);
      },
      multiple());
  CHECK(report.first_failure() == 1);
  CHECK(report.rank(1).end == ranklet::RankResult::End::threw);
  CHECK(report.rank(0).end == ranklet::RankResult::End::stopped);
  CHECK_THROWS_WITH_AS(report.rethrow(), "in a thread", std::runtime_error);
}

TEST_CASE("the longest timeout is none")
{
  ranklet::Options options;
  options.timeout = std::chrono::milliseconds::max();
  const ranklet::Report report = ranklet::run(
      2, [](int) { look_for(std::chrono::milliseconds(20), [] { return false; }); }, options);
  CHECK_MESSAGE(report, report.text());
}

TEST_CASE("calls that fail send no message")
{
  const ranklet::Report report = ranklet::run(2, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) MPI_Send(&rank, -1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 5, 0, MPI_COMM_WORLD);
  });
  CHECK(report.counts().calls == 4);
  CHECK(report.counts().messages == 0);
  CHECK(report.counts().bytes == 0);
}

TEST_CASE("a program with headers of another version is refused")
{
  const auto body = [](void*, int, int, int, char**) { return 0; };
  CHECK_THROWS_AS(ranklet::detail::run_ranks(1, body, nullptr, {}, ranklet::detail::run_layout + 1),
                  std::logic_error);
  // Where only two members of a type have changed places, too.
  CHECK(ranklet::detail::Layout::number({16, 0, 12, 13}) != ranklet::detail::Layout::number({16, 0, 13, 12}));
  CHECK_NOTHROW(ranklet::detail::run_ranks(1, body, nullptr, {}, ranklet::detail::run_layout));
}
