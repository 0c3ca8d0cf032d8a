#include "base/invariant.hpp"

#include <doctest/doctest.h>

#include "memmodel/memmodel.hpp"
#include "support/death.hpp"

using namespace ranklet;

TEST_SUITE_BEGIN("invariant");

TEST_CASE("a condition is evaluated when the build checks, and only then")
{
  int cheap = 0;
  int full = 0;
  invariant([&] { return ++cheap > 0; }, "counts");
  full_invariant([&] { return ++full > 0; }, "counts");
  CHECK(cheap == (check_level >= Checks::cheap ? 1 : 0));
  CHECK(full == (check_level == Checks::full ? 1 : 0));
}

TEST_CASE("a broken invariant ends the process with its text and its place")
{
  if (check_level == Checks::off) return;
  const auto said = tests::death([] { invariant([] { return false; }, "two and two is five"); });
  CHECK(said.find("broken invariant: two and two is five") != std::string::npos);
  CHECK(said.find("test_invariant.cpp:") != std::string::npos);
}

TEST_CASE("structures notice who breaks their rules")
{
  if (check_level == Checks::off) return;
  SUBCASE("a token released by somebody who does not hold it")
  {
    memmodel::Token<> token;
    CHECK(tests::death([&] { token.release(); }).find("only the holder releases a token") !=
          std::string::npos);
  }
  SUBCASE("a lock unlocked twice")
  {
    memmodel::SpinLock<> lock;
    lock.lock();
    lock.unlock();
    const auto unlock = [&]() RANKLET_UNCHECKED { lock.unlock(); };
    CHECK(tests::death(unlock).find("only the holder unlocks a lock") != std::string::npos);
  }
  SUBCASE("a cell given back that nobody has published")
  {
    memmodel::Ring<int, 4> ring;
    CHECK(tests::death([&] { ring.pop(); }).find("only a published cell") != std::string::npos);
  }
  SUBCASE("a ticket that leaves before its turn")
  {
    memmodel::FairLock<> lock;
    lock.draw();
    const auto second = lock.draw();
    CHECK(tests::death([&] { lock.leave(second); }).find("while it has its turn") != std::string::npos);
  }
  SUBCASE("a gate opened by somebody who has not closed it")
  {
    memmodel::Gate<> gate;
    CHECK(tests::death([&] { gate.open(); }).find("only who has closed a gate") != std::string::npos);
  }
}

TEST_SUITE_END();
