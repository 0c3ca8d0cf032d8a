// Ends badly in the way that the argument names, in rank 1 if there is one.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

volatile int zero = 0;

struct Grid {
  int* cells = nullptr;
  [[gnu::noinline]] int cell(int index) const;
};

__attribute__((no_sanitize("undefined"))) int Grid::cell(int index) const  // a fault, not UBSan's
{
  return cells[index] + 1;  // line 22
}

[[gnu::noinline]] int step(const Grid& grid)
{
  return grid.cell(2) + 1;  // line 27
}

}  // namespace

__attribute__((no_sanitize("undefined"))) int main(int argc, char** argv)
{
  const std::string how = argc > 1 ? argv[1] : "";
  const int rank = std::atoi(std::getenv("RANK"));
  std::printf("rank %d was here\nand left this", rank);
  if (rank != 1) {
    for (;;) ::pause();
  }
  if (how == "null") return step(Grid{});
  if (how == "divide") return 7 / zero;
  if (how == "abort") std::abort();
  if (how == "throw") throw std::runtime_error("too bad");
  if (how == "thread") std::thread([] { std::exit(step(Grid{})); }).join();
  if (how == "immediate") ::_exit(7);
  return 99;
}
