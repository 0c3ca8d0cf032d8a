// What it costs to run a function on ranks: ranklet::run(n, []{}) for several n, in microseconds. Also what a
// run costs that fails.
#include <ranklet/run.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

template <class Function>
void measure(const char* what, int n, int times, Function&& function)
{
  std::vector<double> costs;
  for (int i = 0; i < times; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    ranklet::run(n, function);
    costs.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::sort(costs);
  std::printf("%-8s %4d ranks: median %8.1f us, least %8.1f us, 90%% below %8.1f us\n", what, n,
              costs[costs.size() / 2], costs.front(), costs[costs.size() * 9 / 10]);
}

}  // namespace

int main()
{
  for (const int n : {1, 2, 4, 8, 16, 64}) measure("empty", n, n > 8 ? 200 : 2000, [] {});
  for (const int n : {4, 64}) {
    measure("failing", n, 50, [](int rank) {
      if (rank == 0) throw 1;
      MPI_Barrier(MPI_COMM_WORLD);
    });
  }
}
