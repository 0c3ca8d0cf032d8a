// ranklet::explore as a test uses it.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>

#include <ranklet/explore.hpp>

namespace {

int receive(int source)
{
  int value = -1;
  MPI_Recv(&value, 1, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return value;
}

void send(int value, int dest)
{
  MPI_Send(&value, 1, MPI_INT, dest, 0, MPI_COMM_WORLD);
}

// Rank 1 sends to 0 and 2; rank 2 chooses among its requests before it sends to 0.
void send_late(int rank)
{
  if (rank == 1) {
    send(1, 0);
    return send(1, 2);
  }
  int value, index;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
  send(2, 0);
}

}  // namespace

TEST_CASE("the standard's three ranks have two executions")
{
  // MPI 5.0 §6.14.
  const auto all = ranklet::explore(3, [](int rank, int) {
    int value = 0;
    if (rank == 2) send(2, 1);
    const int first = rank == 1 ? receive(MPI_ANY_SOURCE) : -1;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) send(0, 1);
    if (rank == 1) ranklet::out() << first << ' ' << receive(MPI_ANY_SOURCE);
  });
  CAPTURE(all.text());
  CHECK(all.ok());
  CHECK(all.runs() == 2);
  CHECK(all.complete());
  REQUIRE(all.results().size() == 2);
  CHECK(all.results()[0].what != all.results()[1].what);
}

TEST_CASE("ranks at MPI_THREAD_MULTIPLE, and with sessions, are explored too")
{
  ranklet::ExploreOptions options;
  options.run.timeout = std::chrono::minutes(1);
  bool session = false;
  SUBCASE("MPI_THREAD_MULTIPLE")
  {
    options.run.thread_level = MPI_THREAD_MULTIPLE;
  }
  SUBCASE("a session")
  {
    session = true;
  }
  const auto all = ranklet::explore(
      3,
      [&](int rank, int) {
        MPI_Session opened;
        if (session) MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &opened);
        if (rank != 0) send(rank, 0);
        if (rank == 0) ranklet::out() << receive(MPI_ANY_SOURCE) << ' ' << receive(MPI_ANY_SOURCE);
        if (session) MPI_Session_finalize(&opened);
      },
      options);
  CAPTURE(all.text());
  CHECK(all.ok());
  CHECK(all.runs() == 2);
  CHECK(all.results().size() == 2);
}

TEST_CASE("failing and deadlocking runs are counted, and repeated by their tokens")
{
  const auto body = [](int rank, int size) {
    if (rank != 0) return send(rank, 0);
    const int first = receive(MPI_ANY_SOURCE);
    if (first == 2) throw std::runtime_error("two");
    for (int i = 2; i < size; ++i) receive(first == 3 ? 3 : MPI_ANY_SOURCE);
  };
  const auto all = ranklet::explore(4, body);
  CAPTURE(all.text());
  CHECK_FALSE(all.ok());
  CHECK(all.complete());
  CHECK(all.runs() == 4);  // 1 first, then 2 or 3 first; 2; 3
  REQUIRE(all.failures().size() == 2);
  for (const auto& failure : all.failures()) {
    CAPTURE(failure.what);
    CHECK(failure.runs == 1);
    ranklet::ExploreOptions options;
    options.replay = failure.token;
    const auto again = ranklet::explore(4, body, options);
    CHECK(again.runs() == 1);
    REQUIRE(again.failures().size() == 1);
    CHECK(again.failures()[0].what == failure.what);
  }
}

TEST_CASE("usage errors are failures of the runs that have them")
{
  const auto all = ranklet::explore(3, [](int rank, int) {
    const float real = 2;
    if (rank == 1) return send(1, 0);
    if (rank == 2) return static_cast<void>(MPI_Send(&real, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD));
    receive(MPI_ANY_SOURCE);
    float got = 0;
    MPI_Recv(&got, 1, MPI_FLOAT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  CAPTURE(all.text());
  CHECK(all.runs() == 2);
  REQUIRE(all.failures().size() == 1);
  CHECK(all.failures()[0].runs == 1);
  CHECK(all.failures()[0].what.find("types of the data sent") != std::string::npos);
  CHECK(all.results().size() == 1);
}

TEST_CASE("tests that find nothing for ever are a livelock")
{
  const auto all = ranklet::explore(2, [] {
    for (int flag = 0; !flag;) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  });
  CAPTURE(all.text());
  CHECK(all.runs() == 1);
  REQUIRE(all.failures().size() == 1);
  CHECK(all.failures()[0].what == "livelock");
}

TEST_CASE("a request that is complete only after another rank's choice counts as well")
{
  const auto all = ranklet::explore(3, [](int rank, int) {
    int values[2], index = -1;
    MPI_Request requests[2];
    if (rank == 0) {
      for (int i = 0; i < 2; ++i) MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
      MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      ranklet::out() << index;
    } else {
      send_late(rank);
    }
  });
  CAPTURE(all.text());
  CHECK(all.runs() == 2);
  CHECK(all.results().size() == 2);
  CHECK(all.complete());
}

TEST_CASE("of requests that come late any one may be first, and all together")
{
  const auto all = ranklet::explore(3, [](int rank, int) {
    int values[2], indices[2], count = 0;
    MPI_Request requests[2];
    if (rank == 0) {
      for (int i = 0; i < 2; ++i) MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
      MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
      for (int i = 0; i < count; ++i) ranklet::out() << indices[i];
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
      send_late(rank);
    }
  });
  CAPTURE(all.text());
  CHECK(all.results().size() == 3);
  CHECK(all.runs() == 3);
}

TEST_CASE("a loop of probes finds what comes after another rank's test")
{
  const auto all = ranklet::explore(3, [](int rank, int) {
    int flag = 0, value;
    if (rank == 0) {
      MPI_Status status;
      while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, &status);
      ranklet::out() << status.MPI_SOURCE;
      receive(1);
      receive(2);
    } else if (rank == 1) {
      send(1, 0);
      send(1, 2);
    } else {
      MPI_Request request;
      MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
      while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      send(2, 0);
    }
  });
  CAPTURE(all.text());
  CHECK(all.ok());
  CHECK(all.complete());
  CHECK(all.results().size() == 2);
}

TEST_CASE("tests that fail together are not taken for all there is")
{
  // Rank 1's test lets its message come, which rank 0's could then have found.
  const auto all = ranklet::explore(2, [](int rank, int) {
    int flag = 0;
    MPI_Iprobe(1 - rank, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (rank == 1) return send(1, 0);
    ranklet::out() << flag;
    receive(1);
  });
  CAPTURE(all.text());
  CHECK(all.ok());
  CHECK_FALSE(all.complete());
}

TEST_CASE("a failure hides nothing that could have come before")
{
  for (const bool aborts : {false, true}) {
    const auto all = ranklet::explore(4, [&](int rank, int) {
      if (rank == 1) return send(1, 0);
      if (rank == 3) return send(3, 2);
      if (rank == 2) return send(receive(MPI_ANY_SOURCE) - 1, 0);
      if (receive(MPI_ANY_SOURCE) == 2) return static_cast<void>(receive(1));
      if (aborts) MPI_Abort(MPI_COMM_WORLD, 5);
      throw std::runtime_error("one first");
    });
    CAPTURE(all.text());
    CHECK(all.runs() == 2);
    REQUIRE(all.failures().size() == 1);
    CHECK(all.failures()[0].runs == 1);
    CHECK(all.complete());
  }
}

TEST_CASE("a run whose time is over may hide outcomes")
{
  std::atomic<bool> sent{false};
  ranklet::ExploreOptions options;
  options.run.timeout = std::chrono::milliseconds(200);
  const auto all = ranklet::explore(
      3,
      [&](int rank, int) {
        if (rank == 2) return send(2, 0);
        // Not decided while rank 1 polls memory.
        if (rank == 0) sent = receive(MPI_ANY_SOURCE) == 2;
        while (rank == 1 && !sent && !ranklet::stopping()) {
        }
      },
      options);
  CAPTURE(all.text());
  CHECK(all.failures().size() == 1);
  CHECK_FALSE(all.complete());
}

TEST_CASE("a receive from anybody may be cancelled or not")
{
  const auto all = ranklet::explore(2, [](int rank, int) {
    if (rank == 1) return send(1, 0);
    MPI_Request request;
    MPI_Status status;
    int value, cancelled;
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    ranklet::out() << cancelled;
    if (cancelled) receive(1);
  });
  CAPTURE(all.text());
  CHECK(all.ok());
  CHECK(all.runs() == 2);
  CHECK(all.results().size() == 2);
}

TEST_CASE("a message that comes after a cancellation could have prevented it")
{
  const auto all = ranklet::explore(2, [](int rank, int) {
    MPI_Request request;
    MPI_Status status;
    int value, cancelled, index;
    if (rank == 1) {
      MPI_Isend(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
      receive(MPI_ANY_SOURCE);
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
      return send(1, 0);
    }
    send(0, 1);
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    ranklet::out() << cancelled;
    if (cancelled) receive(1);
  });
  CAPTURE(all.text());
  CHECK(all.ok());
  CHECK(all.results().size() == 2);
}

TEST_CASE("a loop that ends by the clock is no livelock")
{
  const auto all = ranklet::explore(2, [](int rank, int) {
    int flag = 0;
    for (const double begin = MPI_Wtime(); rank == 0 && !flag && MPI_Wtime() - begin < 0.5;)
      MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  });
  CAPTURE(all.text());
  CHECK(all.ok());
  CHECK(all.runs() == 1);
}

TEST_CASE("tokens are of one kind of job and of one program")
{
  const auto body = [](int rank, int size) {
    if (rank != 0) return send(rank, 0);
    for (int i = 1; i < size; ++i) ranklet::out() << receive(MPI_ANY_SOURCE);
  };
  const auto all = ranklet::explore(3, body);
  REQUIRE(all.results().size() == 2);
  ranklet::ExploreOptions options;
  options.replay = all.results()[1].token;
  const auto again = ranklet::explore(3, body, options);
  CAPTURE(again.text());
  CHECK(again.ok());
  CHECK_FALSE(again.complete());
  REQUIRE(again.results().size() == 1);
  CHECK(again.results()[0].what == all.results()[1].what);
  CHECK_THROWS_AS(ranklet::explore(4, body, options), const std::invalid_argument&);
  const auto other = ranklet::explore(
      3,
      [](int rank, int) {
        if (rank != 0) return send(rank, 0);
        receive(1);
        receive(MPI_ANY_SOURCE);
      },
      options);
  CAPTURE(other.text());
  REQUIRE(other.failures().size() == 1);
  CHECK(other.failures()[0].what == "the token does not fit");
  CHECK(other.text().find(" of 2 has not become possible") != std::string::npos);
  options.run.checks = false;
  CHECK_THROWS_AS(ranklet::explore(3, body, options), const std::invalid_argument&);
}

TEST_CASE("limits and bad tokens")
{
  const auto body = [](int rank, int size) {
    if (rank != 0) return send(rank, 0);
    for (int i = 1; i < size; ++i) receive(MPI_ANY_SOURCE);
  };
  ranklet::ExploreOptions options;
  options.most_runs = 5;
  const auto some = ranklet::explore(4, body, options);
  CHECK(some.ok());
  CHECK(some.runs() == 5);
  CHECK_FALSE(some.complete());
  CHECK(ranklet::explore(4, body).runs() == 6);
  options.replay = "nonsense";
  CHECK_THROWS_AS(ranklet::explore(4, body, options), const std::invalid_argument&);
}
