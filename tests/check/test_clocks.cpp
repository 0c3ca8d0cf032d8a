// What ranks know of each other by vector clocks.
#include <doctest/doctest.h>

#include "check/clocks.hpp"

using namespace ranklet::check;

namespace {

bool knows(Clocks& clocks, int rank, Moment moment)
{
  return moment.is_known_by(clocks.clock_of(rank));
}

}  // namespace

TEST_SUITE_BEGIN("clocks");

TEST_CASE("what is before from() is known behind to(), and nothing else is")
{
  Clocks clocks;
  const Token token;
  clocks.to(1, token);
  const Moment before = clocks.now(0);
  CHECK(knows(clocks, 0, before));
  CHECK(!knows(clocks, 1, before));
  clocks.from(0, token);
  const Moment behind = clocks.now(0);
  CHECK(!knows(clocks, 1, before));
  clocks.to(1, token);
  CHECK(knows(clocks, 1, before));
  CHECK(!knows(clocks, 1, behind));
  CHECK(!knows(clocks, 0, clocks.now(1)));
}

TEST_CASE("knowledge is passed on, and a token holds what all have given it")
{
  Clocks clocks;
  const Token first, second;
  const Moment zero = clocks.now(0), seven = clocks.now(7);
  clocks.from(0, first);
  clocks.to(3, first);
  clocks.from(3, second);
  clocks.from(7, second);
  clocks.to(1, second);
  CHECK(knows(clocks, 1, zero));
  CHECK(knows(clocks, 1, seven));
  CHECK(!knows(clocks, 3, seven));
}

TEST_CASE("what is ordered in time is so from then on")
{
  Clocks clocks;
  clocks.start();
  const Moment zero = clocks.now(0);
  clocks.order(0, 2);
  CHECK(knows(clocks, 2, zero));
  CHECK(!knows(clocks, 1, zero));
  const Moment two = clocks.now(2);
  clocks.order_before_all(2);
  CHECK(knows(clocks, 0, two));
  CHECK(!knows(clocks, 0, clocks.now(2)));
  const Moment one = clocks.now(1), later = clocks.now(2);
  clocks.order_after_all(0);
  CHECK(knows(clocks, 0, one));
  CHECK(knows(clocks, 0, later));
  CHECK(!knows(clocks, 1, later));
  // A rank that comes late.
  clocks.begins(9);
  CHECK(knows(clocks, 9, one));
  CHECK(!knows(clocks, 9, clocks.now(1)));
}

TEST_CASE("those that share memory are ordered call by call")
{
  Clocks clocks;
  const Moment zero = clocks.now(0), two = clocks.now(2);
  clocks.meets_sharers(0);
  clocks.share(0);
  clocks.share(1);
  CHECK(knows(clocks, 1, zero));
  const Moment later = clocks.now(0);
  clocks.meets_sharers(2);
  CHECK(!knows(clocks, 1, later));
  clocks.meets_sharers(0);
  clocks.meets_sharers(1);
  clocks.meets_sharers(2);
  CHECK(knows(clocks, 1, later));
  CHECK(!knows(clocks, 1, two));
  CHECK(!knows(clocks, 2, zero));
}

TEST_CASE("what lies in shared memory is seen by all that share it")
{
  Clocks clocks;
  clocks.share(0);
  clocks.share(1);
  const Moment two = clocks.now(2);
  clocks.order(2, 0);
  clocks.meets_sharers(1);
  CHECK(knows(clocks, 1, two));
  const Moment one = clocks.now(1);
  clocks.meets_sharers(1);
  clocks.order(0, 3);
  CHECK(knows(clocks, 3, one));
}

TEST_CASE("what all know")
{
  Clocks clocks;
  const Moment zero = clocks.now(0);
  clocks.order_before_all(0);
  clocks.order(0, 1);
  CHECK(!zero.is_known_by(clocks.known_by_all({0, 1, 2})));
  clocks.order_before_all(0);
  CHECK(zero.is_known_by(clocks.known_by_all({0, 1, 2})));
  CHECK(!clocks.now(0).is_known_by(clocks.known_by_all({0, 1, 2})));
  CHECK(clocks.known_by_all({}).empty());
}

TEST_SUITE_END();
