#include "libc/patience.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace ranklet::loader {
namespace {

using namespace std::chrono_literals;

TEST_CASE("patience ends by the clock, whatever an attempt costs")
{
  Patience patience(50ms);
  int attempts = 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto slow_attempt = [&] {
    // As a sleep of a millisecond on busy cores.
    for (const auto now = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() < now + 10ms;) {
    }
    ++attempts;
    return false;
  };
  CHECK(!patience.until(slow_attempt));
  CHECK(std::chrono::steady_clock::now() - begin >= 50ms);
  CHECK(attempts >= 1);
  CHECK(attempts <= 7);
}

TEST_CASE("attempts share the patience, and each is made once")
{
  Patience patience(20ms);
  CHECK(!patience.until([] { return false; }));
  int attempts = 0;
  CHECK(!patience.until([&] { return ++attempts > 1; }));
  CHECK(attempts == 1);
  CHECK(patience.until([] { return true; }));
}

}  // namespace
}  // namespace ranklet::loader
