// doctest cases on ranks, in a program that is started like any other.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <ranklet/doctest.hpp>

#include <vector>

#include "sum.hpp"

RANKLET_TEST_CASE("every rank gets the sum", 4)
{
  REQUIRE(size == 4);
  CHECK(ring_sum(rank + 1, comm) == 10);
}

TEST_CASE("on any number of ranks")
{
  for (const int ranks : {1, 2, 5, 16}) {
    std::vector<int> sums(static_cast<std::size_t>(ranks));
    RANKLET_RUN(ranks)
    {
      sums[static_cast<std::size_t>(rank)] = ring_sum(1, comm);
    };
    CHECK(sums == std::vector<int>(static_cast<std::size_t>(ranks), ranks));
  }
}

TEST_CASE("a rank that does not take part is found out")
{
  const ranklet::Report report = ranklet::run(3, [](int rank) {
    if (rank != 1) ring_sum(rank, MPI_COMM_WORLD);
  });
  CHECK(report.deadlock());
  MESSAGE(report.text());
}
