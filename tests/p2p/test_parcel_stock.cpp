// What a rank keeps of the parcels that it has received.
#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/memory.hpp"
#include "p2p/engine.hpp"
#include "p2p/world.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using test::on_ranks;

namespace {

// In a rank's stock.
void with_stock(void (*body)(ParcelStock&))
{
  on_ranks(1, [&](Communicator& world) {
    ParcelStock stock(world.self());
    body(stock);
  });
}

void give(ParcelStock& stock, std::size_t size)
{
  void* const memory = allocate_shared(size);
  REQUIRE(memory);
  CHECK(stock.give(memory, size));
}

// How many of this size it had for itself.
int take_all(ParcelStock& stock, std::size_t size)
{
  int blocks = 0;
  for (; void* const memory = stock.take(size); ++blocks) free_shared(memory);
  return blocks;
}

}  // namespace

TEST_CASE("parcel stock: the last one of a size that was given is taken first, of no other size")
{
  with_stock([](ParcelStock& stock) {
    const std::size_t size = ParcelStock::rounded(1500), other = ParcelStock::rounded(3000);
    CHECK(size == 2048);
    CHECK(other == 3072);
    CHECK_FALSE(stock.take(size));
    void* const first = allocate_shared(size);
    void* const second = allocate_shared(size);
    REQUIRE(first);
    REQUIRE(second);
    CHECK(stock.give(first, size));
    CHECK(stock.give(second, size));
    CHECK_FALSE(stock.take(other));
    CHECK(stock.take(size) == second);
    CHECK(stock.take(size) == first);
    CHECK_FALSE(stock.take(size));
    free_shared(first);
    free_shared(second);
  });
}

TEST_CASE("parcel stock: it keeps 64 KiB, and not those of other sizes before")
{
  with_stock([](ParcelStock& stock) {
    const std::size_t few = ParcelStock::rounded(1100), many = ParcelStock::rounded(16384);
    for (int i = 0; i < 32; ++i) give(stock, few);
    // Too much: the others go.
    give(stock, many);
    CHECK_FALSE(stock.take(few));
    for (int i = 0; i < 3; ++i) give(stock, many);
    CHECK(take_all(stock, many) == 4);
    // Of the longest one.
    const std::size_t longest = ParcelStock::rounded(257 * 1024);
    for (int i = 0; i < 2; ++i) give(stock, longest);
    CHECK(take_all(stock, longest) == 1);
  });
}

TEST_CASE("parcel stock: what a rank does not send itself goes back to its senders, eight at once")
{
  on_ranks(1, [](Communicator& world) {
    ParcelStock receiver(world.self()), sender(world.self()), other(world.self());
    const std::size_t size = ParcelStock::rounded(8192);
    for (int i = 0; i < 8 + 7; ++i) give(receiver, size);
    CHECK_FALSE(sender.take(size, receiver));
    give(receiver, size);
    void* const first = sender.take(size, receiver);
    REQUIRE(first);
    free_shared(first);
    // All that there was.
    CHECK_FALSE(other.take(size, receiver));
    CHECK(take_all(sender, size) == 7);
    // Of other sizes, too; the sender's own first.
    const std::size_t long_one = ParcelStock::rounded(65536);
    for (int i = 0; i < 3; ++i) give(receiver, long_one);
    for (int i = 0; i < 2; ++i) give(receiver, size);
    give(sender, size);
    void* const own = sender.take(size, receiver);
    REQUIRE(own);
    free_shared(own);
    CHECK_FALSE(sender.take(size, receiver));
    CHECK(take_all(sender, long_one) == 2);
  });
}

TEST_CASE("parcel stock: half a MiB waits for senders, and what comes beyond is freed")
{
  on_ranks(1, [](Communicator& world) {
    ParcelStock receiver(world.self()), sender(world.self());
    const std::size_t size = ParcelStock::rounded(8192);
    // Twice: it is counted anew when senders have taken all.
    for (int repetition = 0; repetition < 2; ++repetition) {
      for (int i = 0; i < 1000; ++i) give(receiver, size);
      void* const first = sender.take(size, receiver);
      REQUIRE(first);
      free_shared(first);
      CHECK(take_all(sender, size) == 512 / 8 - 1);
    }
    CHECK(take_all(receiver, size) == 64 / 8);
  });
}

TEST_CASE("parcel stock: many senders and receivers at once lose none and share none")
{
  constexpr int ranks = 4, rounds = 3000;
  const unsigned seed = std::random_device()();
  MESSAGE("seed ", seed);
  std::array<std::unique_ptr<ParcelStock>, ranks> stocks;
  std::barrier all(ranks);
  std::atomic<int> wrong = 0;
  on_ranks(ranks, [&](Communicator& world) {
    const auto me = static_cast<std::size_t>(world.rank());
    stocks[me] = std::make_unique<ParcelStock>(world.self());
    all.arrive_and_wait();
    std::mt19937 random(seed + static_cast<unsigned>(me));
    // What it has under way, each marked as its own.
    std::vector<std::pair<std::uint64_t*, std::size_t>> held;
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::size_t size = ParcelStock::rounded(std::size_t{2048} << (random() % 3));
      void* memory = stocks[me]->take(size, *stocks[random() % ranks]);
      if (!memory) memory = allocate_shared(size);
      held.emplace_back(static_cast<std::uint64_t*>(memory), size);
      std::fill_n(held.back().first, 8, me);
      while (held.size() > random() % 32) {
        const auto [words, bytes] = held.back();
        held.pop_back();
        wrong += std::count(words, words + 8, me) != 8;
        if (!stocks[me]->give(words, bytes)) ++wrong;
      }
    }
    for (const auto& [words, bytes] : held) stocks[me]->give(words, bytes);
    all.arrive_and_wait();
    stocks[me] = nullptr;
  });
  CHECK(wrong == 0);
}

TEST_CASE("parcel stock: long parcels are not kept, nor short ones, which have no more memory than they need")
{
  with_stock([](ParcelStock& stock) {
    for (const std::size_t size : {300000, 1024, 48}) {
      CHECK(ParcelStock::rounded(size) == size);
      void* const memory = allocate_shared(size);
      REQUIRE(memory);
      CHECK_FALSE(stock.give(memory, size));
      CHECK_FALSE(stock.take(size));
      free_shared(memory);
    }
  });
}
