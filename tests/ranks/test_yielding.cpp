#include "ranks/yielding.hpp"

#include <doctest/doctest.h>

#include "ranks/ranks.hpp"
#include "support/ranks.hpp"

using namespace ranklet;
using namespace std::chrono_literals;

namespace {

// How many waits sleep at once before one yields again.
int sleeping_waits(Yielding& yielding)
{
  int waits = 0;
  while (!yielding.pays()) ++waits;
  return waits;
}

}  // namespace

TEST_CASE("yields pay until one takes long, and again after ever more waits")
{
  Yielding yielding;
  CHECK(yielding.pays());
  CHECK(yielding.note(2us, 500us));
  CHECK(sleeping_waits(yielding) == 0);
  CHECK_FALSE(yielding.note(3ms, 500us));
  CHECK(sleeping_waits(yielding) == 16);
  // Not while long ones come again and again.
  for (const int waits : {32, 64, 128, 256, 512, 1024, 2048, 4096, 4096}) {
    for (int i = 0; i < 400; ++i) CHECK(yielding.note(2us, 500us));
    CHECK_FALSE(yielding.note(3ms, 500us));
    CHECK(sleeping_waits(yielding) == waits);
  }
  for (int i = 0; i < 500; ++i) CHECK(yielding.note(2us, 500us));
  CHECK_FALSE(yielding.note(3ms, 500us));
  CHECK(sleeping_waits(yielding) == 16);
}

TEST_CASE("a loop that asks yields where others only wait, and naps where somebody computes")
{
  const auto looks = [](int cores, bool computes) {
    JobOptions options;
    options.wait = WaitPolicy::automatic(2, cores);
    options.wait.longest_yield = 1h;  // however busy this machine is
    Job job(2, options);
    int asked = 0;
    test::run_ranks(job, [&](Rank& rank) {
      if (rank.world_rank != 0) return;
      if (computes) rank.yielding.note(2h, 1h);
      give_way(rank, [&] { return ++asked > 0; });  // what naps looks for what may end its nap
    });
    return asked;
  };
  CHECK(looks(1, false) == 0);
  CHECK(looks(1, true) == 1);
  CHECK(looks(2, true) == 0);
}
