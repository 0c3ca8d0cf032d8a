// Accumulates of all ranks at once: every element is changed once by each, whatever way it takes.
#include <doctest/doctest.h>

#include <cstring>
#include <thread>

#include "base/sanitized.hpp"
#include "rma/world.hpp"

using namespace ranklet;
using ranklet::test::on_ranks;

namespace {

constexpr int accumulates = sanitized ? 20 : 200;

// Adds ones to elements [first, first + n) of the target in one call.
void add_ones(Window& window, int target, Count first, Count n, Datatype& type,
              const std::vector<std::int64_t>& ones)
{
  rma::accumulate(window, {const_cast<std::int64_t*>(ones.data()), n, &type}, {target, first, n, &type},
                  predefined(OpKind::sum));
}

}  // namespace

TEST_CASE("long accumulates and single ones meet at the same elements")
{
  constexpr Count n = 2000;
  constexpr int ranks = 4;
  on_ranks(ranks, [&](Communicator& world) {
    Window* const window = rma::allocate(world, world.rank() == 0 ? n * 8 : 0, 8, nullptr, false);
    Datatype& type = predefined(Basic::int64);
    const std::vector<std::int64_t> ones(n, 1);
    rma::lock_all(*window, 0);
    for (int round = 0; round < accumulates; ++round) {
      if (world.rank() % 2 == 0) add_ones(*window, 0, 0, n, type, ones);
      for (Count i = 0; i < 50; ++i) add_ones(*window, 0, i * 40, 1, type, ones);
      add_ones(*window, 0, 100, 300, type, ones);
    }
    rma::unlock_all(*window);
    rma::fence(*window, 0);
    if (world.rank() == 0) {
      std::int64_t* const sums = reinterpret_cast<std::int64_t*>(window->own().base);
      bool right = true;
      for (Count i = 0; i < n; ++i)
        right = right &&
                sums[i] == accumulates * (2 + (i % 40 == 0 ? ranks : 0) + (i >= 100 && i < 400 ? ranks : 0));
      CHECK(right);
    }
    rma::fence(*window, rma::nosucceed);
    rma::free(*window);
  });
}

TEST_CASE("several threads of each rank accumulate, also while one locks the target for itself")
{
  constexpr int ranks = 2, threads = 3;
  on_ranks(
      ranks,
      [&](Communicator& world) {
        Window* const window = rma::allocate(world, 1000 * 8, 8, nullptr, false);
        Datatype& type = predefined(Basic::int64);
        const std::vector<std::int64_t> ones(1000, 1);
        for (bool exclusive : {false, true}) {
          rma::lock(*window, exclusive, 0, 0);
          std::vector<std::thread> others;
          for (int t = 0; t < threads; ++t)
            others.emplace_back([&] {
              for (int round = 0; round < accumulates; ++round) {
                add_ones(*window, 0, 0, 1000, type, ones);
                for (Count i = 0; i < 20; ++i) add_ones(*window, 0, i, 1, type, ones);
              }
            });
          for (std::thread& other : others) other.join();
          rma::unlock(*window, 0);
        }
        rma::fence(*window, 0);
        if (world.rank() == 0) {
          const std::int64_t* const sums = reinterpret_cast<const std::int64_t*>(window->own().base);
          bool right = true;
          for (int i = 0; i < 1000; ++i)
            right = right && sums[i] == 2 * ranks * threads * accumulates * (i < 20 ? 2 : 1);
          CHECK(right);
        }
        rma::fence(*window, rma::nosucceed);
        rma::free(*window);
      },
      ThreadLevel::multiple);
}

TEST_CASE("elements at addresses without atomic instructions are changed whole all the same")
{
  constexpr int ranks = 3;
  on_ranks(ranks, [&](Communicator& world) {
    Window* const window = rma::allocate(world, 100, 1, nullptr, false);
    Datatype& type = predefined(Basic::int64);
    rma::lock_all(*window, 0);
    for (int round = 0; round < accumulates; ++round) {
      // 1 + 2^32 carries into both halves: a torn change would show.
      std::int64_t step = (std::int64_t{1} << 32) + 1, before = 0;
      rma::accumulate(*window, {&step, 1, &type}, {0, 3, 1, &type}, predefined(OpKind::sum));
      rma::fetch_and_op(*window, &step, &before, type, 0, 61, predefined(OpKind::sum));
      if ((before >> 32) != (before & 0xffffffff)) CHECK(before == 0);
    }
    rma::unlock_all(*window);
    rma::fence(*window, 0);
    if (world.rank() == 0)
      for (const Count at : {3, 61}) {
        std::int64_t sum;
        std::memcpy(&sum, window->own().base + at, sizeof sum);
        CHECK(sum == ((std::int64_t{1} << 32) + 1) * ranks * accumulates);
      }
    rma::fence(*window, rma::nosucceed);
    rma::free(*window);
  });
}

TEST_CASE("several bytes are one thing to others who come with several")
{
  // A struct is written and read whole while single bytes beside it, and words elsewhere, are changed too.
  constexpr int ranks = 4;
  constexpr Count n = 24;
  on_ranks(ranks, [&](Communicator& world) {
    Window* const window = rma::allocate(world, 4096, 1, nullptr, false);
    Datatype& byte = predefined(Basic::byte);
    Datatype& wide = predefined(Basic::uint8);
    rma::lock_all(*window, 0);
    bool whole = true;
    unsigned char mine[n], before[n];
    const unsigned char one = 1;
    for (int round = 0; round < 20 * accumulates; ++round) {
      std::memset(mine, world.rank() + round % 50, n);
      const rma::TargetData all{0, 3, n, &byte};
      if (world.rank() == 0)
        rma::get_accumulate(*window, {mine, n, &byte}, {before, n, &byte}, all, predefined(OpKind::no_op));
      else if (round % 2 == 0)
        rma::get_accumulate(*window, {mine, n, &byte}, {before, n, &byte}, all, predefined(OpKind::replace));
      else
        rma::accumulate(*window, {mine, n, &byte}, all, predefined(OpKind::replace));
      if (world.rank() == 0 || round % 2 == 0)
        for (Count i = 1; i < n; ++i) whole = whole && before[i] == before[0];
      rma::accumulate(*window, {const_cast<unsigned char*>(&one), 1, &wide}, {0, 100, 1, &wide},
                      predefined(OpKind::sum));
    }
    CHECK(whole);
    rma::unlock_all(*window);
    rma::fence(*window, 0);
    if (world.rank() == 0)
      CHECK(static_cast<unsigned char>(window->own().base[100]) ==
            static_cast<unsigned char>(ranks * 20 * accumulates));
    rma::fence(*window, rma::nosucceed);
    rma::free(*window);
  });
}
