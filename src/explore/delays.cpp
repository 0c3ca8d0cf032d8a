#include "explore/delays.hpp"

#include <chrono>
#include <thread>

namespace ranklet {

namespace {

// The finaliser of splitmix64: its numbers are as good as random.
std::uint64_t mixed(std::uint64_t x) noexcept
{
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

Delays::Delays(std::uint64_t seed, int rank) noexcept
    : start_(mixed(seed) ^ mixed(~static_cast<std::uint64_t>(rank)))
{
}

int Delays::plan(std::uint64_t n) const noexcept
{
  constexpr int longest = 512;
  const std::uint64_t number = mixed(start_ + n);
  if (number % 16 == 0) return static_cast<int>(number >> 32) & (longest - 1);
  return number % 16 < 6 ? -1 : 0;
}

void Delays::next() noexcept
{
  const int delay = plan(static_cast<std::uint64_t>(calls_.add(1)));
  if (delay > 0)
    std::this_thread::sleep_for(std::chrono::microseconds(delay));
  else if (delay < 0)
    memmodel::Native::yield();
}

}  // namespace ranklet
