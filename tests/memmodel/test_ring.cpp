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

TEST_CASE(
    "ring: behind a cell that stands for several the next one is asked for, and is then the one to read")
{
  constexpr std::uint32_t cells = 4;
  NotedRing ring;
  const auto await = [](auto&&) { FAIL("there is room"); };
  const auto push = [&](std::uint32_t value) {
    REQUIRE(ring.try_push_train(
        cells, [&](std::uint32_t& payload) { payload = value; }, [](std::uint32_t&, std::uint32_t) {},
        await));
  };
  // Of the next one, by what the consumer was told to ask for; null: for nothing.
  const auto take = [&](std::uint32_t value) {
    NotesPrefetches::read.clear();
    const std::uint32_t* const front = ring.front();
    REQUIRE(front);
    CHECK(*front == value);
    ring.read_behind(cells);
    ring.pop(cells);
    const std::uint32_t* const next = ring.front_read();
    if (!next) {
      CHECK(NotesPrefetches::read.empty());
      return next;
    }
    REQUIRE(NotesPrefetches::read.size() == 1);
    CHECK(NotesPrefetches::read[0] == reinterpret_cast<const char*>(next) - sizeof(std::uint32_t));
    CHECK(next == ring.front());
    return next;
  };
  std::uint32_t pushed = 0, taken = 0;
  for (; pushed < 24; ++pushed) push(pushed);
  // Not before cells have waited for so long.
  for (; taken < 16; ++taken) CHECK_FALSE(take(taken));
  for (; taken < 23; ++taken) CHECK(take(taken));
  // What nobody has claimed is the sender's.
  CHECK_FALSE(take(taken++));
  push(pushed++);
  CHECK_FALSE(take(taken++));
}
