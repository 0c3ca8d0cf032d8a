// What a rank keeps of the parcels that it has received.
#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
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

TEST_CASE("parcel stock: it keeps 771 KiB, and not those of other sizes before")
{
  with_stock([](ParcelStock& stock) {
    // One of each size, of 12, 16, 20 ... KiB and one more.
    const auto size_of = [](std::size_t i) { return ParcelStock::rounded(4096 * i + 1); };
    std::size_t kept = 0, i = 3;
    for (; kept + size_of(i) <= std::size_t{771} * 1024; ++i) {
      give(stock, size_of(i));
      kept += size_of(i);
    }
    void* const first = stock.take(size_of(3));
    REQUIRE(first);
    CHECK(stock.give(first, size_of(3)));
    // Too much: the last one alone is left.
    give(stock, size_of(i));
    for (std::size_t k = 3; k < i; ++k) CHECK_FALSE(stock.take(size_of(k)));
    CHECK(take_all(stock, size_of(i)) == 1);
  });
}

TEST_CASE("parcel stock: what a rank does not send itself goes back to its senders, eight at once")
{
  on_ranks(1, [](Communicator& world) {
    ParcelStock receiver(world.self()), sender(world.self()), other(world.self());
    const std::size_t size = ParcelStock::rounded(8192), long_one = ParcelStock::rounded(65536);
    // Its own eight, and seven of what is to go.
    for (int i = 0; i < 8 + 7; ++i) give(receiver, size);
    CHECK_FALSE(sender.take(size, receiver));
    give(receiver, size);
    CHECK_FALSE(sender.take(long_one, receiver));
    CHECK_FALSE(receiver.take(long_one, receiver));
    void* const first = sender.take(size, receiver);
    REQUIRE(first);
    free_shared(first);
    // All that there were of this size.
    CHECK_FALSE(other.take(size, receiver));
    CHECK(take_all(sender, size) == 7);
    // The sender's own come first, and long ones go one by one.
    for (int i = 0; i < 4; ++i) give(receiver, long_one);
    give(sender, long_one);
    void* const own = sender.take(long_one, receiver);
    REQUIRE(own);
    free_shared(own);
    CHECK(take_all(sender, long_one) == 0);
    void* const back = sender.take(long_one, receiver);
    REQUIRE(back);
    free_shared(back);
    CHECK(take_all(sender, long_one) == 2);
    CHECK(take_all(receiver, long_one) == 1);
    CHECK(take_all(receiver, size) == 8);
  });
}

TEST_CASE("parcel stock: 512 KiB wait for senders, of the size that they may want")
{
  on_ranks(1, [](Communicator& world) {
    ParcelStock receiver(world.self()), sender(world.self());
    const std::size_t size = ParcelStock::rounded(8192), other = ParcelStock::rounded(16384);
    const auto takes = [&](std::size_t wanted) {
      void* const first = sender.take(wanted, receiver);
      if (!first) return 0;
      free_shared(first);
      return 1 + take_all(sender, wanted);
    };
    for (int repetition = 0; repetition < 3; ++repetition) {
      for (int i = 0; i < 1000; ++i) give(receiver, size);
      CHECK(takes(size) == 512 / 8);
      CHECK(takes(size) == 0);
      // What senders have taken makes room; what they do not take makes way for others.
      for (int i = 0; i < 1000; ++i) give(receiver, size);
      for (int i = 0; i < 1000; ++i) give(receiver, other);
      CHECK(takes(size) == 0);
      CHECK(takes(other) == 512 / 16);
      // Both have room.
      for (int i = 0; i < 16; ++i) give(receiver, other);
      for (int i = 0; i < 32; ++i) give(receiver, size);
      CHECK(takes(other) == 16);
      CHECK(takes(size) == 32);
    }
    CHECK(take_all(receiver, size) >= 64 / 8);
    CHECK(take_all(receiver, other) >= 64 / 16);
  });
}

TEST_CASE("parcel stock: many senders and receivers at once share no block, and need few")
{
  constexpr std::size_t ranks = 4, rounds = 4000;
  const unsigned seed = std::random_device()();
  MESSAGE("seed ", seed);
  // What has come to a rank, marked with its sender's number.
  struct Inbox {
    std::mutex mutex;
    std::vector<std::pair<std::uint64_t*, std::size_t>> blocks;
  };
  std::array<Inbox, ranks> inboxes;
  std::array<std::unique_ptr<ParcelStock>, ranks> stocks;
  std::barrier all(ranks);
  std::atomic<int> wrong = 0, made = 0, done = 0;
  on_ranks(ranks, [&](Communicator& world) {
    const auto me = static_cast<std::size_t>(world.rank());
    stocks[me] = std::make_unique<ParcelStock>(world.self());
    all.arrive_and_wait();
    std::mt19937 random(seed + static_cast<unsigned>(me));
    const auto receive = [&] {
      std::vector<std::pair<std::uint64_t*, std::size_t>> come;
      {
        const std::lock_guard lock(inboxes[me].mutex);
        come.swap(inboxes[me].blocks);
      }
      for (const auto& [words, size] : come) {
        wrong += std::count(words, words + 8, words[0]) != 8;
        std::fill_n(words, 8, ranks + me);
        if (!stocks[me]->give(words, size)) ++wrong;
      }
    };
    for (std::size_t i = 0; i < rounds; ++i) {
      // Half of the ranks hardly send, and each sends two sizes.
      if (me % 2 == 0 || i % 16 == 0) {
        const std::size_t dest = (me + 1 + random() % (ranks - 1)) % ranks;
        const std::size_t size = ParcelStock::rounded(std::size_t{2048} << (me / 2 + random() % 2));
        void* memory = stocks[me]->take(size, *stocks[dest]);
        if (!memory) {
          memory = allocate_shared(size);
          ++made;
        }
        auto* const words = static_cast<std::uint64_t*>(memory);
        std::fill_n(words, 8, me);
        for (;;) {
          {
            const std::lock_guard lock(inboxes[dest].mutex);
            if (inboxes[dest].blocks.size() < 16) {
              wrong += std::count(words, words + 8, me) != 8;
              inboxes[dest].blocks.emplace_back(words, size);
              break;
            }
          }
          receive();
          std::this_thread::yield();
        }
      }
      if (random() % 16 == 0) receive();
    }
    ++done;
    while (done < static_cast<int>(ranks)) {
      receive();
      std::this_thread::yield();
    }
    all.arrive_and_wait();
    receive();
    all.arrive_and_wait();
    stocks[me] = nullptr;
  });
  CHECK(wrong == 0);
  // Of 8500 that are sent.
  CHECK(made < 2500);
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
