// What a rank keeps of the parcels that it has received.
#include <doctest/doctest.h>

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
  if (!stock.give(memory, size)) free_shared(memory);
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

TEST_CASE("parcel stock: it keeps 514 KiB, and not those of other sizes before")
{
  with_stock([](ParcelStock& stock) {
    const std::size_t few = ParcelStock::rounded(1100), many = ParcelStock::rounded(16384);
    for (int i = 0; i < 50; ++i) give(stock, few);
    std::size_t kept = 0;
    for (int i = 0; i < 40; ++i) give(stock, many);
    while (void* const memory = stock.take(many)) {
      kept += many;
      free_shared(memory);
    }
    CHECK(kept > 64 * 1024);
    CHECK(kept <= 514 * 1024);
    for (int i = 0; i < 1000; ++i) give(stock, few);
    int blocks = 0;
    for (; void* const memory = stock.take(few); ++blocks) free_shared(memory);
    CHECK(blocks > 0);
    CHECK(blocks <= 257);
  });
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
