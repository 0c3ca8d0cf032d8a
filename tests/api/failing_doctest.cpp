// Cases that fail on purpose; test_frameworks.py reads what doctest says about them.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <ranklet/doctest.hpp>

#include <iostream>
#include <ostream>
#include <stdexcept>
#include <string>

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

// Each path is taken once, by all ranks, and says where it fails; a failing REQUIRE does not hide what
// follows.
RANKLET_TEST_CASE("subcases" * doctest::skip(), 2)
{
  MPI_Barrier(comm);
  std::string path;
  SUBCASE("a")
  {
    path = "a";
    SUBCASE("b")
    {
      path += "b";
    }
    SUBCASE("c")
    {
      path += "c";
      CHECK(rank != 1);
    }
  }
  SUBCASE("d")
  {
    path = "d";
    REQUIRE(rank != 0);
    MPI_Barrier(comm);
  }
  SUBCASE("e")
  {
    path = "e";
  }
  MPI_Barrier(comm);
  if (rank == 0) std::cout << "path " << path << std::endl;
}

TEST_CASE("subcases outside" * doctest::skip())
{
  SUBCASE("one")
  {
    RANKLET_RUN(1){SUBCASE("f"){std::cout << "path of " << size << ": f" << std::endl;
  }
  SUBCASE("g")
  {
    std::cout << "path of " << size << ": g" << std::endl;
  }
};
}
SUBCASE("two")
{
  RANKLET_RUN(2)
  {
    if (rank == 1) std::cout << "path of " << size << std::endl;
    MPI_Recv(nullptr, 0, MPI_BYTE, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
  };
}
}

TEST_CASE("subcase in a thread" * doctest::skip())
{
  RANKLET_RUN(1)
  {
    ranklet::Thread([] {
      SUBCASE("never") {}
    });
  };
}

// Many ranks unwind at once, each with contexts of its own.
RANKLET_TEST_CASE("many" * doctest::skip(), 16)
{
  INFO("on the stack of " << rank);
  REQUIRE(rank >= 0);
  if (rank % 3 == 0) throw rank;
  MPI_Barrier(comm);
}
