// Cases that fail on purpose; test_frameworks.py reads what doctest says about them.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <ranklet/doctest.hpp>

#include <ostream>
#include <stdexcept>

RANKLET_TEST_CASE("passes", 3)
{
  ranklet::out() << "nobody wants to read this";
  CHECK(rank < size);
}

RANKLET_TEST_CASE("check", 3)
{
  ranklet::out() << "check output of " << rank;
  CHECK(rank != 1);
  MPI_Barrier(comm);
}

RANKLET_TEST_CASE("require", 3)
{
  INFO("further information");
  REQUIRE(rank != 2);
  MPI_Barrier(comm);
}

RANKLET_TEST_CASE("exception", 3)
{
  if (rank == 2) throw std::runtime_error("thrown on purpose");
  MPI_Barrier(comm);
}

RANKLET_TEST_CASE("deadlock", 2)
{
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
}

RANKLET_TEST_CASE("leak", 2)
{
  MPI_Comm copy;
  MPI_Comm_dup(comm, &copy);
}

// Many ranks unwind at once, each with contexts of its own.
RANKLET_TEST_CASE("many" * doctest::skip(), 16)
{
  INFO("on the stack of " << rank);
  REQUIRE(rank >= 0);
  if (rank % 3 == 0) throw rank;
  MPI_Barrier(comm);
}
