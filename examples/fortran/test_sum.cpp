// A test of a Fortran subroutine on ranks, in a program that is started like any other.
#include <cstdio>
#include <iostream>

#include <ranklet/run.hpp>

extern "C" void ring_sum(int comm, int mine, int* total);

static bool passes(int ranks)
{
  std::vector<int> sums(static_cast<std::size_t>(ranks));
  const ranklet::Report report = ranklet::run(ranks, [&](int rank) {
    ring_sum(MPI_Comm_c2f(MPI_COMM_WORLD), rank + 1, &sums[static_cast<std::size_t>(rank)]);
  });
  if (!report) std::cerr << report.text();
  return bool(report) && sums == std::vector<int>(static_cast<std::size_t>(ranks), ranks * (ranks + 1) / 2);
}

// A rank that does not take part: the others, inside Fortran, are stopped and the report names the routine.
static bool finds_a_deadlock()
{
  const ranklet::Report report = ranklet::run(3, [](int rank) {
    int total;
    if (rank != 1) ring_sum(MPI_Comm_c2f(MPI_COMM_WORLD), rank, &total);
  });
  std::cout << report.text();
  return report.deadlock() && report.text().find("MPI_SENDRECV_REPLACE") != std::string::npos;
}

int main()
{
  for (const int ranks : {1, 2, 5, 16})
    if (!passes(ranks)) {
      std::printf("the sum on %d ranks is wrong\n", ranks);
      return 1;
    }
  return finds_a_deadlock() ? 0 : 1;
}
