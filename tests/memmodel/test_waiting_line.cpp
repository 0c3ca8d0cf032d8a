// What a line does that no interleaving shows: how often its taker pays for the fence.
#include <doctest/doctest.h>

#include "memmodel/waiting_line.hpp"

using namespace ranklet::memmodel;

namespace {

struct CountsFences : Native {
  static inline int heavy = 0;
  static void heavy_fence() noexcept
  {
    ++heavy;
    Native::heavy_fence();
  }
};

}  // namespace

TEST_CASE("waiting line: who wants an item at once again and again pays for one fence, and not for ever")
{
  WaitingLine<int, 8, CountsFences> line;
  int item = 0;
  line.open();
  CountsFences::heavy = 0;
  const auto post = [&] {
    REQUIRE(line.try_post(item));
    return line.is_wanted_at_once();
  };
  const auto take = [&] {
    REQUIRE(line.first() == &item);
    line.pop();
    line.want_none();
  };
  CHECK(!post());
  take();
  for (int round = 0; round < 100; ++round) {
    CHECK(!line.want(Wanted::at_once, false));
    CHECK(post());
    take();
  }
  CHECK(CountsFences::heavy == 1);
  // Nobody wants one any more: the poster need not look for long.
  int seen = 0;
  for (; post(); ++seen) {
    REQUIRE(seen < 100);
    take();
  }
  CHECK(seen > 0);
  take();
  CHECK(!line.want(Wanted::at_once, false));
  CHECK(CountsFences::heavy == 2);
}
