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
  enum class Comes { at_once, from_work };
  const auto looks = [](int cores, bool computes, Comes comes = Comes::at_once) {
    JobOptions options;
    options.wait = WaitPolicy::automatic(2, cores);
    options.wait.longest_yield = 1h;  // however busy this machine is
    Job job(2, options);
    int asked = 0;
    test::run_ranks(job, [&](Rank& rank) {
      if (rank.world_rank != 0) return;
      if (computes) rank.yielding.note(2h, 1h);
      const auto ask = [&] { give_way(rank, [&] { return ++asked > 0; }); };  // a nap looks what may end it
      ask();
      CHECK(asked == 0);
      // However often this thread is kept from its core between two of them.
      for (int i = 0; i < 1000 && asked == 0; ++i) {
        if (comes == Comes::from_work)
          for (const auto begin = std::chrono::steady_clock::now();
               std::chrono::steady_clock::now() - begin < 15us;)
            continue;
        ask();
      }
    });
    return asked;
  };
  CHECK(looks(1, false) == 0);
  CHECK(looks(1, true) == 1);
  CHECK(looks(1, true, Comes::from_work) == 0);
  CHECK(looks(2, true) == 0);
}
