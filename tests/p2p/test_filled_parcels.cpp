// Messages that wait for their receives, of which the sender has filled a parcel meanwhile.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <random>

#include "base/sanitizer_runtime.hpp"
#include "p2p/engine.hpp"
#include "p2p/random_traffic.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using test::byte_type;
using test::complete;
using test::hear;
using test::made_of;
using test::on_random_ranks;
using test::on_ranks;
using test::PendingSends;
using test::receives;
using test::tell;

namespace {

constexpr Count eager_limit = 16384;
constexpr Count long_bytes = 40000;
static_assert(long_bytes <= Offers::longest);

// As if the last message there had been copied slowly.
void expect_slow(Communicator& world, int dest)
{
  world.self().p2p->waiting.note_taken(world.peer(dest), Offers::Pace::slow);
}

}  // namespace

TEST_CASE(
    "filled parcels: the parcel is received, of which the receiver keeps the memory, and the send waits")
{
  on_ranks(2, [&](Communicator& world) {
    if (world.rank() == 0) {
      std::vector<unsigned char> data = made_of(long_bytes, 1);
      expect_slow(world, 1);
      Request& request = isend(world, Mode::standard, data.data(), long_bytes, byte_type(), 1, 1);
      // No program may do that: it shows what is received.
      std::fill(data.begin(), data.end(), 0);
      for (int i = 0; i < 100; ++i) CHECK_FALSE(request.advance());
      tell(world, 1);
      complete(world, request);
      request.release();
      data = made_of(long_bytes, 2);
      send(world, Mode::standard, data.data(), long_bytes, byte_type(), 1, 1);
    } else {
      hear(world, 0);
      std::vector<unsigned char> data(long_bytes);
      receive(world, data.data(), long_bytes, byte_type(), 0, 1, nullptr);
      CHECK(data == made_of(long_bytes, 1));
      receive(world, data.data(), long_bytes, byte_type(), 0, 1, nullptr);
      CHECK(data == made_of(long_bytes, 2));
      if (allocations_are_watched()) return;
      const std::size_t size =
          ParcelStock::rounded(offsetof(Parcel, data) + static_cast<std::size_t>(long_bytes));
      void* const kept = world.self().p2p->parcels.take(size);
      CHECK(kept);
      free_shared(kept);
      CHECK_FALSE(world.self().p2p->parcels.take(size));  // the second one was fast, as far as is known
    }
  });
}

TEST_CASE("filled parcels: a persistent send that was cancelled sends what its buffer holds later")
{
  on_ranks(2, [&](Communicator& world) {
    if (world.rank() == 0) {
      std::vector<unsigned char> data = made_of(long_bytes, 1);
      Request& request = send_init(world, Mode::standard, data.data(), long_bytes, byte_type(), 1, 1);
      for (unsigned round = 0; round < 20; ++round) {
        if (round % 3 != 0) expect_slow(world, 1);
        std::ranges::copy(made_of(long_bytes, 2 * round), data.begin());
        request.start();
        request.cancel();
        Status status;
        complete(world, request, &status);
        CHECK(status.cancelled == 1);
        if (round % 4 == 0) expect_slow(world, 1);
        std::ranges::copy(made_of(long_bytes, 2 * round + 1), data.begin());
        request.start();
        tell(world, 1);
        complete(world, request, &status);
        CHECK(status.cancelled == 0);
      }
      expect_slow(world, 1);
      request.start();
      request.cancel();
      complete(world, request);
      request.release();
    } else {
      for (unsigned round = 0; round < 20; ++round) {
        hear(world, 0);
        std::vector<unsigned char> data(long_bytes);
        receive(world, data.data(), long_bytes, byte_type(), 0, 1, nullptr);
        CHECK(data == made_of(long_bytes, 2 * round + 1));
      }
    }
  });
}

TEST_CASE("filled parcels: what one message has found is not taken for the next one of its request")
{
  on_ranks(2, [&](Communicator& world) {
    std::vector<unsigned char> data(long_bytes);
    const auto move = [&] {
      if (world.rank() == 0) {
        Request& request = isend(world, Mode::standard, data.data(), long_bytes, byte_type(), 1, 1);
        complete(world, request);
        request.release();
      } else {
        receive(world, data.data(), long_bytes, byte_type(), 0, 1, nullptr);
      }
    };
    // One of eight is looked at.
    for (int i = 0; i < 16; ++i) {
      move();
      if (world.rank() == 1) continue;
      // The same object, without a destination.
      Request& request = isend(world, Mode::standard, data.data(), long_bytes, byte_type(), proc_null, 1);
      complete(world, request);
      request.release();
    }
  });
}

TEST_CASE("filled parcels: a receive that is too short gets what has room")
{
  on_ranks(2, [&](Communicator& world) {
    if (world.rank() == 0) {
      const std::vector<unsigned char> data = made_of(long_bytes, 1);
      expect_slow(world, 1);
      send(world, Mode::standard, data.data(), long_bytes, byte_type(), 1, 1);
    } else {
      std::vector<unsigned char> data(long_bytes - 1000, 0), whole = made_of(long_bytes, 1);
      Request& request = ireceive(world, data.data(), long_bytes - 2000, byte_type(), 0, 1);
      Status status;
      CHECK(complete(world, request, &status) == ErrorClass::truncate);
      request.release();
      std::fill(whole.begin() + long_bytes - 2000, whole.end(), static_cast<unsigned char>(0));
      whole.resize(long_bytes - 1000);
      CHECK(data == whole);
    }
  });
}

TEST_CASE("filled parcels: where ranks share cores there are none")
{
  on_ranks(2, [&](Communicator& world) {
    const Rank& other = world.peer(1 - world.rank());
    CHECK(world.self().p2p->may_fill_parcel(other, long_bytes, byte_type()));
    CHECK_FALSE(world.self().p2p->may_fill_parcel(world.self(), long_bytes, byte_type()));
    CHECK_FALSE(world.self().p2p->may_fill_parcel(other, Offers::longest + 1, byte_type()));
  });
  on_ranks(
      2,
      [&](Communicator& world) {
        const Rank& other = world.peer(1 - world.rank());
        CHECK_FALSE(world.self().p2p->may_fill_parcel(other, long_bytes, byte_type()));
      },
      1);
}

TEST_CASE("filled parcels: random long messages of several ranks, some copied slowly")
{
  on_random_ranks([](Communicator& world, unsigned seed, std::atomic<int>& wrong) {
    // All ranks draw the same plan: who sends to whom, with which tag and length, in which order.
    std::mt19937 plan(seed);
    std::mt19937 own(seed * 7 + static_cast<unsigned>(world.rank()));
    const auto ranks = static_cast<unsigned>(world.size());
    PendingSends sends(world);
    for (unsigned step = 0; step < 600; ++step) {
      const int from = static_cast<int>(plan() % ranks);
      const int to = static_cast<int>(plan() % ranks);
      const int tag = static_cast<int>(plan() % 3);
      const Count length =
          eager_limit - 1000 + static_cast<Count>(plan() % (Offers::longest - eager_limit + 2000));
      const Mode mode = plan() % 2 == 0 ? Mode::standard : Mode::synchronous;
      if (world.rank() == from) {
        if (own() % 2 == 0) expect_slow(world, to);
        sends.start(mode, made_of(length, step), to, tag);
      }
      if (world.rank() == to) wrong += !receives(world, made_of(length, step), from, tag, own);
      // One to a rank that is yet to send to us would wait for ever.
      if (own() % 2 == 0)
        while (sends.size() > own() % 4 && sends.first_is_over()) sends.complete_first();
    }
    sends.complete_all();
  });
}
