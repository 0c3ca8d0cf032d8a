#include "ranks/yielding.hpp"

#include <doctest/doctest.h>

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
  for (const int waits : {32, 64, 128, 256, 512, 1024, 1024}) {
    CHECK_FALSE(yielding.note(3ms, 500us));
    CHECK(sleeping_waits(yielding) == waits);
  }
  CHECK(yielding.note(2us, 500us));
  CHECK_FALSE(yielding.note(3ms, 500us));
  CHECK(sleeping_waits(yielding) == 16);
}
