#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>

#include "heap/blocks.hpp"

using namespace ranklet::heap;

namespace {

// "[100, 140)", "freed [100, 140)", or nothing.
std::string described(const Blocks& blocks, std::uintptr_t address)
{
  const Block* const found = blocks.find(address);
  if (found == nullptr) return "";
  return (found->freed ? "freed [" : "[") + std::to_string(found->begin) + ", " +
         std::to_string(found->begin + found->size) + ")";
}

}  // namespace

TEST_CASE("a block is found by any of its bytes, living or freed")
{
  Blocks blocks;
  blocks.add(100, 40);
  blocks.add(160, 1);
  CHECK(described(blocks, 99).empty());
  CHECK(described(blocks, 100) == "[100, 140)");
  CHECK(described(blocks, 139) == "[100, 140)");
  CHECK(described(blocks, 140).empty());
  CHECK(described(blocks, 160) == "[160, 161)");
  CHECK(blocks.keep(100));
  CHECK(described(blocks, 120) == "freed [100, 140)");
  CHECK_FALSE(blocks.keep(120));  // none begins there
  blocks.resize(160, 8);
  CHECK(described(blocks, 167) == "[160, 168)");
  blocks.forget(160);
  CHECK(described(blocks, 160).empty());
}

TEST_CASE("memory that has gone unseen is the next one's")
{
  Blocks blocks;
  blocks.add(100, 40);
  blocks.add(150, 10);
  blocks.add(130, 25);
  CHECK(described(blocks, 105).empty());
  CHECK(described(blocks, 131) == "[130, 155)");
  CHECK(described(blocks, 156).empty());
}

TEST_CASE("freed blocks are kept until there are too many, or too much of them")
{
  Blocks blocks(3, 800);
  for (std::uintptr_t i = 0; i < 4; ++i) {
    CHECK(blocks.let_go() == 0);
    blocks.add(1000 + 16 * i, 8);
    CHECK(blocks.keep(1000 + 16 * i));
  }
  CHECK(described(blocks, 1000) == "freed [1000, 1008)");
  CHECK(blocks.let_go() == 1000);
  CHECK(blocks.let_go() == 0);
  CHECK(described(blocks, 1000).empty());
  CHECK(described(blocks, 1016) == "freed [1016, 1024)");
  blocks.add(2000, 101);
  CHECK_FALSE(blocks.keep(2000));

  Blocks by_bytes(100, 800);
  for (std::uintptr_t i = 0; i < 9; ++i) {
    CHECK(by_bytes.let_go() == 0);
    by_bytes.add(1000 * (i + 1), 100);
    CHECK(by_bytes.keep(1000 * (i + 1)));
  }
  CHECK(by_bytes.let_go() == 1000);
  CHECK(by_bytes.let_go() == 0);
}

TEST_CASE("blocks at random against a list")
{
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  Blocks blocks(20, 400);
  struct Known {
    std::size_t size;
    bool lives;
  };
  std::map<std::uintptr_t, Known> known;
  for (int step = 0; step < 20000; ++step) {
    const std::uintptr_t begin = 1 + random() % 4000;
    const std::size_t size = random() % 50;
    const auto next = known.lower_bound(begin);
    const bool is_free =
        (next == known.end() || next->first >= begin + std::max<std::size_t>(size, 1)) &&
        (next == known.begin() || std::prev(next)->first + std::prev(next)->second.size <= begin);
    if (is_free) {
      blocks.add(begin, size);
      known[begin] = {size, true};
    } else if (next != known.end() && next->second.lives) {
      REQUIRE(blocks.keep(next->first));
      next->second.lives = false;
      while (const std::uintptr_t gone = blocks.let_go()) REQUIRE(known.erase(gone) == 1);
    }
    const std::uintptr_t probe = 1 + random() % 4040;
    const auto after = known.upper_bound(probe);
    const auto holder = after == known.begin() ? known.end() : std::prev(after);
    const bool is_held = holder != known.end() && probe - holder->first < holder->second.size;
    const Block* const found = blocks.find(probe);
    REQUIRE((found != nullptr) == is_held);
    if (found != nullptr) REQUIRE(found->freed == !holder->second.lives);
  }
}
