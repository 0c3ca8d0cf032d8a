// Single points of the C++20 memory model, each by the smallest program that shows it.
#include <doctest/doctest.h>

#include <array>
#include <set>
#include <stdexcept>

#include "litmus/executions.hpp"

using namespace ranklet::litmus;

namespace {

constexpr int x = 0, y = 1, z = 2;
constexpr Order na = Order::plain, rlx = Order::relaxed, acq = Order::acquire, rel = Order::release,
                acq_rel = Order::acq_rel, sc = Order::seq_cst;

// The value stored is the one that operation `op` of the same thread has read.
Op store_from(int location, int op, Order order)
{
  return {Kind::store, order, location, 0, op};
}

// `reads`: {thread, operation, value}...
Verdict verdict_on(std::vector<Thread> threads, const std::vector<std::array<int, 3>>& reads)
{
  Condition condition;
  for (const auto& [thread, op, value] : reads) condition.add(Observed::read(thread, op), value);
  return verdict({std::move(threads), {0, 0, 0}}, condition);
}

}  // namespace

TEST_SUITE("happens before")
{
  TEST_CASE("a flag published by release and awaited by acquire protects plain data")
  {
    const Thread writer{store(x, 1, na), store(y, 1, rel)};
    CHECK(verdict_on({writer, {await(y, 1, acq), load(x, na)}}, {{1, 1, 0}}) == Verdict::forbidden);
    CHECK(verdict_on({writer, {await(y, 1, acq), load(x, na)}}, {{1, 1, 1}}) == Verdict::allowed);
    CHECK(verdict_on({writer, {await(y, 1, rlx), load(x, na)}}, {{1, 1, 0}}) == Verdict::racy);
    CHECK(verdict_on({{store(x, 1, na), store(y, 1, rlx)}, {await(y, 1, acq), load(x, na)}}, {{1, 1, 0}}) ==
          Verdict::racy);
    // The flag itself is an ordinary variable: nothing synchronises.
    CHECK(verdict_on({{store(x, 1, rlx), store(y, 1, na)}, {await(y, 1, na), load(x, rlx)}}, {{1, 1, 0}}) ==
          Verdict::racy);
  }

  TEST_CASE("it is transitive: write-to-read causality and a chain of flags")
  {
    const Thread writer{store(x, 1, rlx)};
    CHECK(verdict_on({writer, {await(x, 1, rlx), store(y, 1, rel)}, {await(y, 1, acq), load(x, rlx)}},
                     {{2, 1, 0}}) == Verdict::forbidden);
    CHECK(verdict_on({writer, {await(x, 1, rlx), store(y, 1, rlx)}, {await(y, 1, acq), load(x, rlx)}},
                     {{2, 1, 0}}) == Verdict::allowed);
    CHECK(verdict_on({{store(x, 1, na), store(y, 1, rel)},
                      {await(y, 1, acq), store(z, 1, rel)},
                      {await(z, 1, acq), load(x, na)}},
                     {{2, 1, 0}}) == Verdict::forbidden);
  }

  TEST_CASE("a release sequence goes on through read-modify-writes of any order")
  {
    const Thread writer{store(x, 1, na), store(y, 1, rel)};
    const Thread reader{await(y, 2, acq), load(x, na)};
    CHECK(verdict_on({writer, {update(y, 1, rlx)}, reader}, {{2, 1, 0}}) == Verdict::forbidden);
    // A store by another thread ends it.
    CHECK(verdict_on({writer, {await(y, 1, rlx), store(y, 2, rlx)}, reader}, {{2, 1, 0}}) == Verdict::racy);
    // And since C++20 so does one by the same thread.
    CHECK(verdict_on({{store(x, 1, na), store(y, 1, rel), store(y, 2, rlx)}, reader}, {{1, 1, 0}}) ==
          Verdict::racy);
  }

  TEST_CASE("fences synchronise through the atomics behind and before them")
  {
    const Thread writer{store(x, 1, na), fence(rel), store(y, 1, rlx)};
    const Thread reader{await(y, 2, rlx), fence(acq), load(x, na)};
    CHECK(verdict_on({writer, {update(y, 1, rlx)}, reader}, {{2, 2, 0}}) == Verdict::forbidden);
    // Not through an access on the wrong side.
    CHECK(verdict_on(
              {{store(x, 1, na), store(y, 1, rlx), fence(rel)}, {await(y, 1, rlx), fence(acq), load(x, na)}},
              {{1, 2, 0}}) == Verdict::racy);
    CHECK(verdict_on(
              {{store(x, 1, na), fence(rel), store(y, 1, rlx)}, {fence(acq), await(y, 1, rlx), load(x, na)}},
              {{1, 2, 0}}) == Verdict::racy);
    // Nor through a plain variable.
    CHECK(verdict_on(
              {{store(x, 1, rlx), fence(rel), store(y, 1, na)}, {await(y, 1, na), fence(acq), load(x, rlx)}},
              {{1, 2, 0}}) == Verdict::racy);
  }
}

TEST_SUITE("coherence")
{
  TEST_CASE("updates are atomic: two increments are two")
  {
    const Program program{{{update(x, 1, rlx)}, {update(x, 1, rlx)}}, {0}};
    const auto all = explore(program, {Observed::last(x), Observed::read(0, 0), Observed::read(1, 0)});
    CHECK(all.outcomes == std::set<std::vector<int>>{{2, 0, 1}, {2, 1, 0}});
    CHECK_FALSE(all.race);
  }

  TEST_CASE("a thread reads its own store, or a later one")
  {
    CHECK(verdict_on({{store(x, 1, rlx), load(x, rlx)}}, {{0, 1, 0}}) == Verdict::forbidden);
    CHECK(verdict_on({{store(x, 1, rlx), load(x, rlx)}, {store(x, 2, rlx)}}, {{0, 1, 2}}) ==
          Verdict::allowed);
    CHECK(verdict_on({{load(x, rlx), store(x, 1, rlx)}}, {{0, 0, 1}}) == Verdict::forbidden);
  }

  TEST_CASE("two readers see the stores to one location in one order")
  {
    CHECK(verdict_on({{store(x, 1, rlx)},
                      {store(x, 2, rlx)},
                      {load(x, rlx), load(x, rlx)},
                      {load(x, rlx), load(x, rlx)}},
                     {{2, 0, 1}, {2, 1, 2}, {3, 0, 2}, {3, 1, 1}}) == Verdict::forbidden);
  }
}

TEST_SUITE("values out of thin air")
{
  const std::vector<Thread> copying{{load(x, rlx), store_from(y, 0, rlx)},
                                    {load(y, rlx), store_from(x, 0, rlx)}};
  const std::vector<Observed> reads{Observed::read(0, 0), Observed::read(1, 0)};

  TEST_CASE("copies of copies are copies of something")
  {
    CHECK(explore({copying, {0, 0}}, reads).outcomes == std::set<std::vector<int>>{{0, 0}});
  }

  TEST_CASE("a constant may be seen early, and copied")
  {
    const Program program{{copying[0], {load(y, rlx), store(x, 1, rlx)}}, {0, 0}};
    CHECK(explore(program, reads).outcomes.count({1, 1}) == 1);
    CHECK(explore(program, reads, ThinAir::program_order).outcomes.count({1, 1}) == 0);
  }
}

TEST_SUITE("the order of seq_cst operations")
{
  TEST_CASE("a fence on one side and accesses on the other forbid store buffering")
  {
    const Thread fenced{store(x, 1, rlx), fence(sc), load(y, rlx)};
    CHECK(verdict_on({fenced, {store(y, 1, sc), load(x, sc)}}, {{0, 2, 0}, {1, 1, 0}}) == Verdict::forbidden);
    CHECK(verdict_on({fenced, {store(y, 1, rel), load(x, sc)}}, {{0, 2, 0}, {1, 1, 0}}) == Verdict::allowed);
    CHECK(verdict_on({fenced, {store(y, 1, sc), load(x, acq)}}, {{0, 2, 0}, {1, 1, 0}}) == Verdict::allowed);
  }

  TEST_CASE("updates of one word by both stand for fences, which sanitizers know")
  {
    const auto thread = [](int mine, int peers, Order order) {
      return Thread{store(mine, 1, rlx), update(z, 1, order), load(peers, rlx)};
    };
    CHECK(verdict_on({thread(x, y, acq_rel), thread(y, x, acq_rel)}, {{0, 2, 0}, {1, 2, 0}}) ==
          Verdict::forbidden);
    CHECK(verdict_on({thread(x, y, rel), thread(y, x, rel)}, {{0, 2, 0}, {1, 2, 0}}) == Verdict::allowed);
  }

  TEST_CASE("RWC+syncs: fences are as strong as C++20 made them")
  {
    CHECK(verdict_on({{store(x, 1, rlx)},
                      {load(x, rlx), fence(sc), load(y, rlx)},
                      {store(y, 1, rlx), fence(sc), load(x, rlx)}},
                     {{1, 0, 1}, {1, 2, 0}, {2, 2, 0}}) == Verdict::forbidden);
  }

  TEST_CASE("Z6.U: accesses are as weak as C++20 made them")
  {
    CHECK(verdict_on({{store(x, 1, sc), store(y, 1, rel)},
                      {update(y, 1, sc), load(y, rlx)},
                      {store(y, 3, sc), load(x, sc)}},
                     {{1, 0, 1}, {1, 1, 3}, {2, 1, 0}}) == Verdict::allowed);
    CHECK(verdict_on({{store(x, 1, sc), store(y, 1, sc)},
                      {update(y, 1, sc), load(y, sc)},
                      {store(y, 3, sc), load(x, sc)}},
                     {{1, 0, 1}, {1, 1, 3}, {2, 1, 0}}) == Verdict::forbidden);
  }
}

TEST_CASE("programs that are too large or ask for what is not there")
{
  CHECK_THROWS_AS(explore({{Thread(max_events, load(0, rlx))}, {0}}, {}), std::invalid_argument);
  CHECK_THROWS_AS(explore({{{load(0, rlx)}}, {0}}, {Observed::read(0, 1)}), std::invalid_argument);
}

TEST_CASE("programs as text")
{
  Op counted = update(y, 1, acq_rel);
  counted.expect = 2;
  CHECK(text(Program{{{store(x, 1, na), fence(sc)}, {await(y, 1, acq), counted, store_from(x, 0, rel)}},
                     {0, 0}}) ==
        "P0:  store m0 1 plain;  fence seq_cst;\n"
        "P1:  load m1 acquire until 1;  add m1 1 acq_rel until 2;  store m0 r0 release;\n");
}
