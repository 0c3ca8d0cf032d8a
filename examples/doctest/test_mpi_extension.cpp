// A suite as it is written for doctest's own MPI extension. It runs without mpiexec.
#include <doctest/extensions/doctest_mpi.h>

#include "sum.hpp"

MPI_TEST_CASE("the sum on two ranks", 2)
{
  const int sum = ring_sum(test_rank == 0 ? 3 : 4, test_comm);
  CHECK(test_nb_procs == 2);
  MPI_CHECK(0, sum == 7);
  MPI_CHECK_EQ(1, sum, 7);
  MPI_REQUIRE(1, test_rank == 1);
  MPI_CHECK_FALSE(0, sum == 8);
}

MPI_TEST_CASE("three ranks", 3)
{
  int size = 0;
  MPI_Comm_size(test_comm, &size);
  CHECK(size == test_nb_procs);
}

TEST_CASE("a case without ranks of its own")
{
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size == doctest::mpi_comm_world_size());
}
