// ranklet::run: ranks inside the calling process. Uses what users have: mpi.h, ranklet/run.hpp, the library.
#include <doctest/doctest.h>

#include <ranklet/run.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "support/text.hpp"

using ranklet::test::contains;

namespace {

// Frees what it holds, as users' wrappers do, wherever the stack is unwound.
struct OwnComm {
  MPI_Comm comm = MPI_COMM_NULL;
  OwnComm() { MPI_Comm_dup(MPI_COMM_WORLD, &comm); }
  ~OwnComm() { MPI_Comm_free(&comm); }
  OwnComm(const OwnComm&) = delete;
  OwnComm& operator=(const OwnComm&) = delete;
};

struct OwnWindow {
  MPI_Win window = MPI_WIN_NULL;
  int* memory = nullptr;
  OwnWindow() { MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window); }
  ~OwnWindow() { MPI_Win_free(&window); }
  OwnWindow(const OwnWindow&) = delete;
  OwnWindow& operator=(const OwnWindow&) = delete;
};

}  // namespace

TEST_CASE("a function may be anything that makes sense on a rank")
{
  SUBCASE("with rank and size, and the test's memory")
  {
    std::vector<int> sums(4);
    const ranklet::Report report = ranklet::run(4, [&](int rank, int size) {
      CHECK(size == 4);
      int sum = 0;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      sums[static_cast<std::size_t>(rank)] = sum;
    });
    CHECK_MESSAGE(report, report.text());
    CHECK(report.ranks().size() == 4);
    CHECK(sums == std::vector<int>(4, 6));
  }
  SUBCASE("without arguments, or with the rank, or with a communicator")
  {
    std::atomic<int> calls{0};
    CHECK(ranklet::run(2, [&] { calls.fetch_add(1); }));
    CHECK(ranklet::run(3, [&](int rank) { calls.fetch_add(rank); }));
    CHECK(ranklet::run(2, [&](MPI_Comm world) {
      int size = 0;
      MPI_Comm_size(world, &size);
      calls.fetch_add(size);
    }));
    CHECK(calls == 2 + 3 + 4);
  }
  SUBCASE("like main, with arguments of its own and MPI_Init")
  {
    ranklet::Options options;
    options.arguments = {"solver", "-n", "7"};
    const auto program = [](int argc, char** argv) -> int {
      MPI_Init(&argc, &argv);
      int rank = -1;
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      const bool right = argc == 3 && std::string(argv[2]) == "7" && argv[3] == nullptr;
      argv[2][0] = 'x';
      MPI_Finalize();
      int finalized = 0;
      MPI_Finalized(&finalized);
      return right && finalized ? rank : -1;
    };
    const ranklet::Report report = ranklet::run(3, program, options);
    CHECK_FALSE(report.ok());
    for (int i = 0; i < 3; ++i) CHECK(report.rank(i).code == i);
    CHECK(contains(report.text(), "rank 2 returned 2"));
  }
}

TEST_CASE("MPI is there when the function starts, and may be initialized once")
{
  int provided[2] = {-1, -1};
  const ranklet::Report report = ranklet::run(2, [&](int rank) {
    int flag = 0;
    MPI_Initialized(&flag);
    CHECK(flag == 1);
    int level = -1;
    MPI_Query_thread(&level);
    CHECK(level == MPI_THREAD_SINGLE);
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided[rank]);
    MPI_Query_thread(&level);
    CHECK(level == MPI_THREAD_MULTIPLE);
  });
  CHECK_MESSAGE(report, report.text());
  CHECK(provided[0] == MPI_THREAD_MULTIPLE);

  const ranklet::Report twice = ranklet::run(2, [] {
    MPI_Init(nullptr, nullptr);
    MPI_Init(nullptr, nullptr);
  });
  CHECK(contains(twice.text(), "MPI was initialized before"));
}

TEST_CASE("an exception on one rank stops the others and is kept")
{
  std::atomic<int> unwound{0};
  struct Witness {
    std::atomic<int>& count;
    ~Witness() { count.fetch_add(1); }
  };
  const ranklet::Report report = ranklet::run(4, [&](int rank) {
    const Witness witness{unwound};
    if (rank == 2) throw std::runtime_error("no such luck");
    int value = 0;
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    FAIL_CHECK("a rank has passed a barrier that not all have come to");
  });
  CHECK_FALSE(report.ok());
  CHECK_FALSE(report.deadlock());
  CHECK(unwound == 4);
  CHECK(report.first_failure() == 2);
  CHECK(report.rank(2).end == ranklet::RankResult::End::threw);
  CHECK(report.rank(2).what == "std::runtime_error: no such luck");
  for (const int other : {0, 1, 3}) CHECK(report.rank(other).end == ranklet::RankResult::End::stopped);
  CHECK_THROWS_WITH_AS(report.rethrow(), "no such luck", std::runtime_error);
  CHECK(contains(report.text(), "rank 2 threw std::runtime_error: no such luck"));
  CHECK(contains(report.text(), "stopped for that: 0, 1, 3"));
}

TEST_CASE("MPI_Abort and fatal errors end the run, not the process")
{
  const ranklet::Report aborted = ranklet::run(3, [](int rank) {
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
  });
  CHECK(aborted.rank(1).end == ranklet::RankResult::End::aborted);
  CHECK(aborted.rank(1).code == 7);
  CHECK(contains(aborted.text(), "called MPI_Abort with error code 7"));

  const ranklet::Report failed = ranklet::run(2, [](int rank) {
    if (rank == 0) MPI_Send(nullptr, 0, MPI_INT, 5, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  });
  REQUIRE(failed.errors().size() == 1);
  CHECK(failed.errors()[0].rank == 0);
  CHECK(contains(failed.errors()[0].what, "dest"));
  CHECK(contains(failed.errors()[0].place, "test_run.cpp"));
  CHECK(contains(failed.text(), "MPI error in MPI_Send on rank 0"));

  const ranklet::Report returned = ranklet::run(2, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int error = MPI_SUCCESS;
    if (rank == 0) MPI_Error_class(MPI_Send(nullptr, 0, MPI_INT, 5, 0, MPI_COMM_WORLD), &error);
    CHECK(error == (rank == 0 ? MPI_ERR_RANK : MPI_SUCCESS));
  });
  CHECK_MESSAGE(returned, returned.text());
}

TEST_CASE("a deadlock is a report")
{
  const ranklet::Report crossed = ranklet::run(2, [](int rank) {
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  CHECK(crossed.deadlock());
  CHECK_FALSE(crossed.ok());
  CHECK(contains(crossed.text(), "deadlock"));
  CHECK(contains(crossed.text(), "MPI_Recv"));
  CHECK(contains(crossed.text(), "tag=3"));

  // One that has ended helps nobody.
  const ranklet::Report left = ranklet::run(2, [](int rank) {
    int value = 0;
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  CHECK(left.deadlock());
  CHECK(contains(left.text(), "MPI_Finalize()"));
  CHECK(contains(left.text(), "the end of its function"));
}

TEST_CASE("a rank that only tests is stopped by the time")
{
  ranklet::Options options;
  options.timeout = std::chrono::milliseconds(50);
  const ranklet::Report report = ranklet::run(
      2,
      [](int rank) {
        int flag = 0;
        while (rank == 0 && !flag) MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        while (rank == 1 && !ranklet::stopping()) std::this_thread::yield();
      },
      options);
  CHECK(report.timed_out());
  CHECK(report.rank(0).end == ranklet::RankResult::End::stopped);
  CHECK(contains(report.text(), "timeout"));
  CHECK(contains(report.text(), "rank 0  asks again and again whether something is done, at "));
  CHECK(contains(report.text(), "rank 1  computes"));
}

TEST_CASE("a rank whose socket stays silent is told to ask for it")
{
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  ranklet::Options options;
  options.timeout = std::chrono::milliseconds(100);
  const ranklet::Report report = ranklet::run(
      1,
      [&](int) {
        MPI_Comm joined;
        MPI_Comm_join(ends[0], &joined);
      },
      options);
  CHECK(report.timed_out());
  CHECK(contains(report.text(), "rank 0  asks again and again whether something is done, at "));
  for (const int end : ends) ::close(end);
}

TEST_CASE("destructors may call MPI while a rank is stopped or fails")
{
  for (int failing = 0; failing < 3; ++failing) {
    const ranklet::Report report = ranklet::run(3, [&](int rank) {
      const OwnComm comm;
      const OwnWindow window;
      MPI_Barrier(comm.comm);
      if (rank == failing) throw 42;
      // Those who leave early wait in MPI_Win_free, the others in a barrier.
      if (rank != (failing + 1) % 3) MPI_Barrier(comm.comm);
    });
    CHECK(report.rank(failing).what == "int");
    CHECK_THROWS_AS(report.rethrow(), int);
  }
}

TEST_CASE("a rank that catches everything is stopped by its next call")
{
  int returned = 0;
  const ranklet::Report report = ranklet::run(2, [&](int rank) {
    if (rank == 1) throw std::runtime_error("first");
    try {
      MPI_Barrier(MPI_COMM_WORLD);
    } catch (...) {
      ++returned;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    ++returned;
  });
  CHECK(returned == 1);
  CHECK(report.rank(0).end == ranklet::RankResult::End::stopped);
}

TEST_CASE("what is left behind is told, and freed")
{
  const auto leave = [](int rank) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    static int buffer;
    MPI_Request request;
    if (rank == 0) MPI_Irecv(&buffer, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
  };
  const ranklet::Report checked = ranklet::run(2, leave);
  CHECK_FALSE(checked.ok());
  CHECK(contains(checked.text(), "rank 0: leak: a communicator was not freed"));
  CHECK(contains(checked.text(), "rank 1: leak: a communicator was not freed"));
  CHECK(contains(checked.text(), "rank 0: leak: the operation was never completed"));
  CHECK(contains(checked.text(), "rank 0: leak: a message was never received"));
  CHECK(contains(checked.text(), "call          MPI_Comm_dup(comm=MPI_COMM_WORLD"));
  CHECK(checked.leaks().size() == 4);

  ranklet::Options options;
  options.checks = false;
  const ranklet::Report report = ranklet::run(2, leave, options);
  CHECK_FALSE(report.ok());
  CHECK(contains(report.text(), "rank 0: 1 communicator was not freed"));
  CHECK(contains(report.text(), "rank 1: 1 communicator was not freed"));
  CHECK(contains(report.text(), "rank 0: 1 request was neither completed nor freed"));
  CHECK(contains(report.text(), "rank 0: a message was sent to this rank, but not received"));
  CHECK(report.leaks().size() == 4);

  options.leaks = false;
  const ranklet::Report tolerated = ranklet::run(2, leave, options);
  CHECK(tolerated.ok());
  CHECK(tolerated.leaks().size() == 4);
  options.checks = true;
  CHECK(ranklet::run(2, leave, options).ok());
}

TEST_CASE("ranks that are ordered by a variable that they share are not reported")
{
  std::atomic<bool> is_over = false;
  const ranklet::Report report = ranklet::run(3, [&](int rank) {
    const OwnWindow own;
    if (rank == 2)
      while (!is_over.load(std::memory_order_acquire)) std::this_thread::yield();
    if (rank == 0) return;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, own.window);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, own.window);
    MPI_Win_unlock(0, own.window);
    if (rank == 1) is_over.store(true, std::memory_order_release);
  });
  CHECK(report.ok());
  CHECK(report.checks().empty());
}

TEST_CASE("wrong usage makes a run fail")
{
  const ranklet::Report report = ranklet::run(2, [](int rank) {
    float sent = 1;
    int received = 0;
    if (rank == 0) MPI_Send(&sent, 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&received, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  CHECK_FALSE(report.ok());
  REQUIRE(report.checks().size() == 1);
  CHECK(report.checks()[0].rank == 1);
  CHECK(contains(report.checks()[0].what, "the types of the data sent are not those of the receive"));
  CHECK(contains(report.text(), "other party   rank 0, MPI_Send("));

  const ranklet::Report advised = ranklet::run(1, [](int) {
    int value = 0;
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  CHECK(advised.ok());
  CHECK(advised.findings().size() == 1);
}

TEST_CASE("a mismatch is told in full once, as a finding, and the error refers to it")
{
  const ranklet::Report truncated = ranklet::run(2, [](int rank) {
    int data[2] = {};
    if (rank == 0) MPI_Send(data, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  REQUIRE(truncated.checks().size() == 1);
  CHECK(contains(truncated.text(),
                 "MPI error in MPI_Recv on rank 1 of MPI_COMM_WORLD: see the usage error "
                 "of rank 1 (MPI_ERR_TRUNCATE)"));
  CHECK_FALSE(contains(truncated.text(), "reason"));

  const ranklet::Report roots =
      ranklet::run(3, [](int rank) { MPI_Bcast(&rank, 1, MPI_INT, rank, MPI_COMM_WORLD); });
  CHECK(roots.checks().size() == 1);
  CHECK(contains(roots.text(), ": see the usage error of rank "));
  CHECK_FALSE(contains(roots.text(), "reason"));

  ranklet::Options unchecked;
  unchecked.checks = false;
  const ranklet::Report alone = ranklet::run(
      2, [](int rank) { MPI_Bcast(&rank, 1, MPI_INT, rank, MPI_COMM_WORLD); }, unchecked);
  CHECK(contains(alone.text(), "reason "));
}

TEST_CASE("every way of running shows what one alone hides")
{
  ranklet::Options options;
  options.every_way = true;
  std::atomic<int> runs = 0;
  const auto exchange = [&](int rank, int) {
    int got = 0;
    if (rank == 0) runs.fetch_add(1, std::memory_order_relaxed);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  CHECK(ranklet::run(2, exchange).ok());
  runs = 0;
  const ranklet::Report unsafe = ranklet::run(2, exchange, options);
  CHECK(runs.load() == 2);
  CHECK(unsafe.deadlock());
  CHECK(contains(unsafe.text(),
                 "in the run with --sends synchronise --collectives synchronise\n2 ranks failed"));

  // The third rank comes first in one of the two matches.
  const auto first_come = [](int rank, int size) {
    int first = 0;
    int got = 0;
    if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; ++i) {
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (i == 1) first = got;
    }
    if (first == 2) throw std::runtime_error("the wrong order");
  };
  const ranklet::Report late = ranklet::run(3, first_come, options);
  CHECK(late.first_failure() == 0);
  CHECK(contains(late.text(), "the wrong order"));

  const ranklet::Report right = ranklet::run(
      3, [](int rank, int) { MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_WORLD); }, options);
  CHECK(right.ok());
  CHECK(right.text().starts_with("3 ranks, "));
}

TEST_CASE("every kind of object that is left when a rank fails is freed")
{
  // AddressSanitizer looks on.
  for (int round = 0; round < 3; ++round) {
    const ranklet::Report report = ranklet::run(2, [](int rank) {
      int in[4] = {};
      int out[4] = {};
      MPI_Request requests[9];
      MPI_Comm comm;
      MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
      MPI_Datatype type;
      MPI_Type_vector(2, 1, 2, MPI_INT, &type);
      MPI_Type_commit(&type);
      int* memory = nullptr;
      MPI_Win window;
      MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
      MPI_Win_lock_all(0, window);
      MPI_Info info;
      MPI_Info_create(&info);
      MPI_Session session;
      MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
      MPI_Irecv(in, 1, type, MPI_ANY_SOURCE, 0, comm, &requests[0]);
      MPI_Send_init(out, 1, type, 1 - rank, 9, comm, &requests[1]);
      MPI_Psend_init(out, 2, 1, MPI_INT, 1 - rank, 2, comm, MPI_INFO_NULL, &requests[2]);
      MPI_Precv_init(in, 2, 1, MPI_INT, 1 - rank, 2, comm, MPI_INFO_NULL, &requests[3]);
      MPI_Start(&requests[3]);
      if (rank == 0) {
        MPI_Ibarrier(comm, &requests[4]);
        MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, comm, &requests[5]);
        MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &requests[6]);
      }
      MPI_Allgather_init(out, 1, MPI_INT, in, 1, MPI_INT, comm, MPI_INFO_NULL, &requests[7]);
      const std::vector<int> large(100000);
      MPI_Isend(large.data(), 100000, MPI_INT, 1 - rank, 7, comm, &requests[8]);
      MPI_Message message;
      MPI_Send(out, 4, MPI_INT, rank, 8, comm);
      MPI_Send(out, 4, MPI_INT, rank, 8, comm);
      MPI_Mprobe(rank, 8, comm, &message, MPI_STATUS_IGNORE);
      if (rank == 1) throw std::runtime_error("enough");
      MPI_Barrier(comm);
    });
    CHECK(report.rank(1).what == "std::runtime_error: enough");
  }
}

TEST_CASE("what ranks write is kept for the report")
{
  const ranklet::Report report = ranklet::run(2, [](int rank) {
    ranklet::out() << "rank " << rank << " was here\nand there";
    if (rank == 1) throw 1;
  });
  CHECK(report.rank(1).output == "rank 1 was here\nand there");
  CHECK(contains(report.text(), "output of rank 1\n  | rank 1 was here\n  | and there\n"));
  CHECK_THROWS_AS(ranklet::out(), std::logic_error);
}

TEST_CASE("calls, messages and bytes are counted")
{
  const ranklet::Report report = ranklet::run(2, [](int rank) {
    double values[3] = {};
    if (rank == 0) {
      MPI_Send(values, 3, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
      MPI_Send(values, 3, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(values, 3, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  });
  CHECK(report.rank(0).counts.messages == 1);
  CHECK(report.rank(0).counts.bytes == 24);
  CHECK(report.rank(0).counts.calls == 2);
  CHECK(report.counts().calls == 3);
  CHECK(report.time().count() > 0);
}

TEST_CASE("threads of a rank")
{
  ranklet::Options options;
  options.thread_level = MPI_THREAD_MULTIPLE;
  const ranklet::Report report = ranklet::run(
      2,
      [](int rank) {
        const ranklet::ThisRank here;
        int value = rank;
        ranklet::Thread sender([&] { MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD); });
        std::thread member([here, rank, &value] {
          const ranklet::Member belongs(here);
          MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        });
        int got[2] = {-1, -1};
        for (int& each : got) MPI_Recv(&each, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sender.join();
        member.join();
        CHECK(got[0] == 1 - rank);
        CHECK(got[1] == 1 - rank);
      },
      options);
  CHECK_MESSAGE(report, report.text());
}

TEST_CASE("runs do not nest, and need a rank")
{
  const ranklet::Report report = ranklet::run(2, [](int rank) {
    if (rank == 0) ranklet::run(2, [] {});
    MPI_Barrier(MPI_COMM_WORLD);
  });
  CHECK(contains(report.rank(0).what, "runs do not nest"));
  CHECK_THROWS_AS(ranklet::run(0, [] {}), std::invalid_argument);
}

TEST_CASE("several runs at once, thousands one after another")
{
  const auto exchange = [](int size) {
    return [size](int rank) {
      int from = -1;
      MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT, (rank + size - 1) % size, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (from != (rank + size - 1) % size) throw std::runtime_error("wrong neighbour");
    };
  };
  std::atomic<int> failures{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 250; ++i)
        if (!ranklet::run(2 + (i + caller) % 4, exchange(2 + (i + caller) % 4))) failures.fetch_add(1);
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (int i = 0; i < 1000; ++i)
    if (!ranklet::run(3, exchange(3))) failures.fetch_add(1);
  CHECK(failures == 0);
}

TEST_CASE("failing runs, one after another, in all kinds of calls")
{
  // Each round another rank fails while the others are in the midst of something.
  for (int round = 0; round < 60; ++round) {
    const int failing = round % 4;
    const int kind = round / 4 % 5;
    const ranklet::Report report = ranklet::run(4, [&](int rank, int size) {
      std::vector<int> mine(50000, rank);
      std::vector<int> all(50000 * 4);
      std::vector<int> other(50000);
      for (int i = 0;; ++i) {
        if (rank == failing && i == round % 7) throw std::runtime_error("now");
        MPI_Request requests[2];
        const int next = (rank + 1) % size;
        const int previous = (rank + size - 1) % size;
        if (kind == 0) MPI_Allgather(mine.data(), 50000, MPI_INT, all.data(), 50000, MPI_INT, MPI_COMM_WORLD);
        if (kind == 1) MPI_Allreduce(mine.data(), other.data(), 50000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (kind == 2) {
          MPI_Irecv(other.data(), 50000, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[0]);
          MPI_Isend(mine.data(), 50000, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[1]);
          MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        if (kind == 3) {
          MPI_Ialltoall(mine.data(), 10000, MPI_INT, all.data(), 10000, MPI_INT, MPI_COMM_WORLD,
                        &requests[0]);
          MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        }
        if (kind == 4) {
          MPI_Win window;
          MPI_Win_create(mine.data(), 200000, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
          MPI_Win_fence(0, window);
          MPI_Put(all.data(), 50000, MPI_INT, next, 0, 50000, MPI_INT, window);
          MPI_Win_fence(0, window);
          MPI_Win_free(&window);
        }
      }
    });
    CHECK(report.first_failure() == failing);
    CHECK(report.rank(failing).end == ranklet::RankResult::End::threw);
  }
}
