// What a ring does that no interleaving shows: which lines its consumer asks for early.
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "memmodel/ring.hpp"

namespace {

using ranklet::memmodel::Native;

struct NotesPrefetches : Native {
  static inline std::vector<const void*> read;
  static void prefetch_to_read(const void* line) noexcept { read.push_back(line); }
};

using NotedRing = ranklet::memmodel::Ring<std::uint32_t, 128, NotesPrefetches>;

void push_value(NotedRing& ring, std::uint32_t value)
{
  const auto fill = [&](std::uint32_t& payload) { payload = value; };
  const auto await = [](auto&&) { FAIL("there is room"); };
  REQUIRE(ring.try_push(fill, await));
}

// The lines of what it took.
std::vector<const void*> take_lines(NotedRing& ring, std::uint32_t first, std::uint32_t count)
{
  std::vector<const void*> lines;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t* const value = ring.front();
    REQUIRE(value);
    CHECK(*value == first + i);
    // A payload lies behind its turn.
    lines.push_back(reinterpret_cast<const char*>(value) - sizeof(std::uint32_t));
    ring.pop();
  }
  return lines;
}

}  // namespace

TEST_CASE("ring: where cells have waited for long the consumer reads ahead, but only what is claimed")
{
  for (const NotedRing::Position first : {NotedRing::Position{0}, (NotedRing::Position{1} << 32) - 70}) {
    NotedRing ring(first);
    NotesPrefetches::read.clear();
    for (std::uint32_t i = 0; i < 100; ++i) push_value(ring, i);
    take_lines(ring, 0, 63);
    CHECK(NotesPrefetches::read.empty());
    const std::vector<const void*> lines = take_lines(ring, 63, 37);
    REQUIRE(NotesPrefetches::read.size() == 32);
    CHECK(NotesPrefetches::read.front() == lines[5]);
    CHECK(NotesPrefetches::read.back() == lines[36]);

    // A look in vain begins it anew.
    CHECK_FALSE(ring.front());
    NotesPrefetches::read.clear();
    for (std::uint32_t i = 0; i < 63; ++i) push_value(ring, i);
    take_lines(ring, 0, 63);
    CHECK(NotesPrefetches::read.empty());
  }
}
