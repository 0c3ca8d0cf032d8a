// Runs the cases of small_cases.h, each on ranks of its own, by ranklet::run. Prints the seconds.
//   suite RANKS CASES
#include <ranklet/run.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "../mpi/small_cases.h"

int main(int argc, char** argv)
{
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 4;
  const int cases = argc > 2 ? std::atoi(argv[2]) : case_count;
  const auto begin = std::chrono::steady_clock::now();
  for (int number = 0; number < cases; ++number) {
    std::atomic<int> wrong{0};
    const ranklet::Report report =
        ranklet::run(ranks, [&](MPI_Comm world) { wrong.fetch_add(run_case(number, world)); });
    if (!report || wrong != 0) {
      std::printf("case %d is wrong\n%s", number, report.text().c_str());
      return 1;
    }
  }
  std::printf("%.6f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return 0;
}
