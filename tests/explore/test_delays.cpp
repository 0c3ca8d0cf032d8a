#include <doctest/doctest.h>

#include "explore/delays.hpp"

using namespace ranklet;

TEST_CASE("delays follow from the seed, the rank and the call, and all kinds of them come")
{
  const Delays one(7, 0), same(7, 0), other_rank(7, 1), other_seed(8, 0);
  int none = 0, yields = 0, sleeps = 0, as_other_rank = 0, as_other_seed = 0;
  constexpr int calls = 10000;
  for (std::uint64_t n = 0; n < calls; ++n) {
    const int plan = one.plan(n);
    CHECK(plan == same.plan(n));
    CHECK(plan < 512);
    ++(plan == 0 ? none : plan < 0 ? yields : sleeps);
    as_other_rank += plan == other_rank.plan(n);
    as_other_seed += plan == other_seed.plan(n);
  }
  CHECK(none > calls / 2);
  CHECK(yields > calls / 4);
  CHECK(sleeps > calls / 32);
  CHECK(as_other_rank < calls * 3 / 4);
  CHECK(as_other_seed < calls * 3 / 4);
}
