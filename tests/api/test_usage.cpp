// The usage checks inside one process: findings reach the job.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "api/impl/job_setup.hpp"
#include "api/usage/rank_checks.hpp"
#include "support/ranks.hpp"

using namespace ranklet;

namespace {

std::vector<check::Finding> findings_of(int ranks, const std::function<void(int rank)>& body)
{
  JobOptions options;
  options.extensions = api::extensions();
  options.checks = &api::RankChecks::hooks;
  options.wait = WaitPolicy::automatic(ranks, 1);
  Job job(ranks, options);
  test::run_ranks(job, [&](Rank& rank) {
    MPI_Init(nullptr, nullptr);
    body(rank.world_rank);
    MPI_Finalize();
  });
  return job.findings.take();
}

}  // namespace

TEST_CASE("what a rank leaves behind is in the job's findings")
{
  const std::vector<check::Finding> found = findings_of(2, [](int rank) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0) MPI_Comm_free(&comm);
  });
  REQUIRE(found.size() == 1);
  CHECK(found[0].weight == check::Finding::Weight::leak);
  CHECK(found[0].rank == 1);
  CHECK(found[0].call.starts_with("MPI_Comm_dup(comm=MPI_COMM_WORLD"));
  CHECK(found[0].place.find("test_usage.cpp") != std::string::npos);
}

TEST_CASE("messages of all sizes and ways are checked for their types")
{
  for (const int count : {1, 100, 20000}) {
    const auto found = findings_of(2, [&](int rank) {
      std::vector<int> data(static_cast<std::size_t>(count));
      if (rank == 0)
        MPI_Send(data.data(), count, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
      else
        MPI_Recv(data.data(), count, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    REQUIRE(found.size() == 1);
    CHECK(found[0].rank == 1);
    CHECK(found[0].other.starts_with("rank 0, MPI_Send("));
  }
}

TEST_CASE("a right program has no findings")
{
  const auto found = findings_of(3, [](int rank) {
    std::vector<int> data(40000, rank), from(40000);
    MPI_Request requests[2];
    for (const int count : {0, 5, 5000, 40000}) {
      MPI_Irecv(from.data(), 40000, MPI_INT, (rank + 2) % 3, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(data.data(), count, MPI_INT, (rank + 1) % 3, 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      MPI_Sendrecv_replace(data.data(), count, MPI_INT, (rank + 1) % 3, 2, (rank + 2) % 3, 2, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE);
      MPI_Allreduce(data.data(), from.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      MPI_Bcast(data.data(), count, MPI_INT, 1, MPI_COMM_WORLD);
    }
  });
  CHECK(found.empty());
}

TEST_CASE("of operations in epochs that are not open at once, those that nothing orders are found")
{
  enum class Order { none, barrier, message };
  for (const Order order : {Order::none, Order::barrier, Order::message}) {
    std::atomic<bool> is_over = false;
    const auto found = findings_of(3, [&](int rank) {
      int* memory;
      MPI_Win win;
      const int value = rank;
      int told;
      // The third rank may be in here before there is a window.
      if (rank == 2) MPI_Recv(&told, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) MPI_Send(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
      MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
      const auto put = [&] {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
      };
      if (rank == 1) {
        put();
        if (order == Order::message) MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
        is_over = true;
      }
      if (order == Order::barrier) MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 2) {
        if (order == Order::message) MPI_Recv(&told, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        while (!is_over) std::this_thread::yield();
        put();
      }
      MPI_Win_free(&win);
    });
    REQUIRE(found.size() == (order == Order::none ? 1 : 0));
    if (order != Order::none) continue;
    CHECK(found[0].what ==
          "a put and a put of the same data of target 0 are not ordered by synchronization; a message or a "
          "collective after the completion of the first one would order them, or exclusive locks");
    CHECK(found[0].rank == 2);
    CHECK(found[0].other.starts_with("rank 1, MPI_Put("));
  }
}

TEST_CASE("what other MPIs take too, but the standard does not, is advice")
{
  const auto of_operators = findings_of(1, [](int) {
    const MPI_Aint in = 5;
    MPI_Aint out = 7;
    MPI_Reduce_local(&in, &out, 1, MPI_AINT, MPI_LAND);
    CHECK(out == 1);
    MPI_Allreduce(&in, &out, 1, MPI_AINT, MPI_SUM, MPI_COMM_WORLD);
  });
  REQUIRE(of_operators.size() == 1);
  CHECK(of_operators[0].weight == check::Finding::Weight::advice);
  CHECK(of_operators[0].what.find("MPI_LAND for MPI_AINT") != std::string::npos);
  CHECK(of_operators[0].call.starts_with("MPI_Reduce_local("));

  const auto of_handlers = findings_of(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info_set(MPI_INFO_NULL, "key", "value");
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Info_set(MPI_INFO_NULL, "key", "value");
  });
  REQUIRE(of_handlers.size() == 1);
  CHECK(of_handlers[0].weight == check::Finding::Weight::advice);
  CHECK(of_handlers[0].call.starts_with("MPI_Info_set("));
  CHECK(of_handlers[0].what.find("MPI_INFO_NULL") != std::string::npos);
}

TEST_CASE("a handle that was given twice leaks until it is freed twice")
{
  for (const int frees : {0, 1, 2}) {
    const auto found = findings_of(1, [&](int) {
      MPI_Group first, second;
      MPI_Comm_group(MPI_COMM_WORLD, &first);
      MPI_Comm_group(MPI_COMM_WORLD, &second);
      if (frees > 0) MPI_Group_free(&first);
      if (frees > 1) MPI_Group_free(&second);
    });
    REQUIRE(found.size() == (frees < 2 ? 1 : 0));
    if (frees < 2) CHECK(found[0].call.starts_with("MPI_Comm_group("));
  }
}
