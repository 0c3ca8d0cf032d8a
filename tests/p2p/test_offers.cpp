// Messages that are offered where they lie, and copied out if their receiver is late.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <random>

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

constexpr Count offered_bytes = 3000;
static_assert(offered_bytes >= Offers::shortest);

// Whether what is known of the one message is forgotten when the other one is shown. Changes the one.
bool share_a_place(const Rank& dest, std::vector<unsigned char>& one, const unsigned char* other)
{
  Glimpses glimpses;
  glimpses.has_changed(dest.number, one.data(), offered_bytes);
  glimpses.has_changed(dest.number, other, offered_bytes);
  for (unsigned char& byte : one) ++byte;
  return !glimpses.has_changed(dest.number, one.data(), offered_bytes);
}

}  // namespace

TEST_CASE("offers: what is kept for a later receive is what the buffer held when the send returned")
{
  std::atomic<int> wrong = 0;
  on_ranks(2, [&](Communicator& world) {
    for (unsigned round = 0; round < 300; ++round) {
      if (world.rank() == 0) {
        std::vector<unsigned char> data = made_of(offered_bytes, round);
        send(world, Mode::standard, data.data(), offered_bytes, byte_type(), 1, 1);
        std::fill(data.begin(), data.end(), 0);
        Request& request = isend(world, Mode::standard, data.data(), offered_bytes, byte_type(), 1, 2);
        complete(world, request);
        request.release();
        std::fill(data.begin(), data.end(), 1);
        tell(world, 1);
        hear(world, 1);
      } else {
        hear(world, 0);
        std::vector<unsigned char> data(offered_bytes);
        receive(world, data.data(), offered_bytes, byte_type(), 0, 2, nullptr);
        if (data != std::vector<unsigned char>(offered_bytes, 0)) ++wrong;
        receive(world, data.data(), offered_bytes, byte_type(), 0, 1, nullptr);
        if (data != made_of(offered_bytes, round)) ++wrong;
        tell(world, 0);
      }
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("offers: the send of a message that MPI_Mprobe has taken ends before its receive")
{
  std::atomic<int> wrong = 0;
  on_ranks(2, [&](Communicator& world) {
    for (unsigned round = 0; round < 300; ++round) {
      if (world.rank() == 0) {
        std::vector<unsigned char> data = made_of(offered_bytes, round);
        send(world, Mode::standard, data.data(), offered_bytes, byte_type(), 1, 1);
        std::fill(data.begin(), data.end(), 0);
        tell(world, 1);
      } else {
        Status status;
        const Message message = mprobe(world, 0, 1, &status);
        hear(world, 0);
        std::vector<unsigned char> data(offered_bytes);
        mreceive(message, data.data(), offered_bytes, byte_type(), &status);
        if (data != made_of(offered_bytes, round) || status.bytes != offered_bytes) ++wrong;
      }
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("offers: a request that is let go has been copied out")
{
  std::atomic<int> wrong = 0;
  on_ranks(2, [&](Communicator& world) {
    if (world.rank() == 0) {
      std::vector<unsigned char> data = made_of(offered_bytes, 3);
      Request& request = isend(world, Mode::standard, data.data(), offered_bytes, byte_type(), 1, 1);
      let_go(request, {});
      std::fill(data.begin(), data.end(), 0);
      tell(world, 1);
      hear(world, 1);
    } else {
      hear(world, 0);
      std::vector<unsigned char> data(offered_bytes);
      receive(world, data.data(), offered_bytes, byte_type(), 0, 1, nullptr);
      if (data != made_of(offered_bytes, 3)) ++wrong;
      tell(world, 0);
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("offers: a request that was cancelled before is not when it is used again")
{
  on_ranks(2, [&](Communicator& world) {
    if (world.rank() == 0) {
      const std::vector<unsigned char> data = made_of(offered_bytes, 4);
      Request& lost = isend(world, Mode::synchronous, nullptr, 0, byte_type(), 1, 1);
      lost.cancel();
      Status status;
      complete(world, lost, &status);
      CHECK(status.cancelled == 1);
      lost.release();
      Request& request = isend(world, Mode::standard, data.data(), offered_bytes, byte_type(), 1, 2);
      complete(world, request, &status);
      CHECK(status.cancelled == 0);
      request.release();
      tell(world, 1);
    } else {
      hear(world, 0);
      std::vector<unsigned char> data(offered_bytes);
      receive(world, data.data(), offered_bytes, byte_type(), 0, 2, nullptr);
      CHECK(data == made_of(offered_bytes, 4));
    }
  });
}

TEST_CASE("offers: both directions at once through one buffer")
{
  std::atomic<int> wrong = 0;
  on_ranks(2, [&](Communicator& world) {
    const int peer = 1 - world.rank();
    for (unsigned round = 0; round < 1000; ++round) {
      std::vector<unsigned char> data =
          made_of(offered_bytes, 2 * round + static_cast<unsigned>(world.rank()));
      Request& request =
          isend_receive_replace(world, data.data(), offered_bytes, byte_type(), peer, 1, peer, 1);
      complete(world, request);
      request.release();
      if (data != made_of(offered_bytes, 2 * round + static_cast<unsigned>(peer))) ++wrong;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("offers: random sends and receives of several ranks, each late at times")
{
  on_random_ranks([](Communicator& world, unsigned seed, std::atomic<int>& wrong) {
    // All ranks draw the same plan: who sends to whom, with which tag and length, in which order.
    std::mt19937 plan(seed);
    std::mt19937 own(seed * 7 + static_cast<unsigned>(world.rank()));
    const auto ranks = static_cast<unsigned>(world.size());
    PendingSends sends(world);
    for (unsigned step = 0; step < 3000; ++step) {
      const int from = static_cast<int>(plan() % ranks);
      const int to = static_cast<int>(plan() % ranks);
      const int tag = static_cast<int>(plan() % 3);
      const std::size_t length = 200 + plan() % 3000;
      if (world.rank() == from) {
        std::vector<unsigned char> data = made_of(length, step);
        if (own() % 2 == 0) {
          // One to oneself ends as well, as it is copied out.
          send(world, Mode::standard, data.data(), static_cast<Count>(length), byte_type(), to, tag);
          std::fill(data.begin(), data.end(), 0);
        } else {
          sends.start(Mode::standard, std::move(data), to, tag);
        }
      }
      if (world.rank() == to) wrong += !receives(world, made_of(length, step), from, tag, own);
      while (sends.size() > 0 && own() % 2 == 0) sends.complete_first();
    }
    sends.complete_all();
  });
}

TEST_CASE("offers: after some in vain few are made, after one that was taken all")
{
  on_ranks(
      2,
      [&](Communicator& world) {
        if (world.rank() != 0) return;
        Offers offers;
        const Rank& self = world.self();
        const Rank& peer = world.peer(1);
        CHECK_FALSE(offers.worthwhile(self, self));
        for (const int pause : {0, 1, 3, 7, 15, 31, 63, 63}) {
          for (int i = 0; i < pause; ++i) CHECK_FALSE(offers.worthwhile(self, peer));
          CHECK(offers.worthwhile(self, peer));
          offers.note_late(peer);
        }
        using Pace = Offers::Pace;
        const std::vector<unsigned char> same(offered_bytes);
        // Whether the next ones are worth it is looked at, though not of the first one, and without an answer
        // here.
        CHECK(offers.pace(peer, same.data(), offered_bytes) == Pace::not_measured);
        for (int i = 0; i < 63; ++i) CHECK_FALSE(offers.worthwhile(self, peer));
        CHECK(offers.worthwhile(self, peer));
        CHECK(offers.pace(peer, same.data(), offered_bytes) == Pace::not_measured);
        for (int i = 0; i < 3; ++i) {
          CHECK(offers.worthwhile(self, peer));
          CHECK(offers.pace(peer, same.data(), offered_bytes) == Pace::to_be_measured);
          offers.note_taken(peer, Pace::not_measured);
        }
        offers.note_taken(peer, Pace::fast);
        CHECK(offers.worthwhile(self, peer));
        int measured = 0;
        for (int i = 0; i < 800; ++i)
          measured += offers.pace(peer, same.data(), offered_bytes) == Pace::to_be_measured;
        CHECK(measured == 100);
        // Copied slowly it is as one in vain.
        for (const int pause : {0, 1, 3, 7}) {
          for (int i = 0; i < pause; ++i) CHECK_FALSE(offers.worthwhile(self, peer));
          CHECK(offers.worthwhile(self, peer));
          offers.note_taken(peer, Pace::slow);
        }
        offers.note_taken(peer, Pace::fast);
        CHECK(offers.worthwhile(self, peer));
      },
      8);
  on_ranks(
      2,
      [&](Communicator& world) {
        Offers offers;
        CHECK_FALSE(offers.worthwhile(world.self(), world.peer(1 - world.rank())));
      },
      1);
}

TEST_CASE(
    "offers: what has changed since the last time from the same place is new, whatever the receiver finds")
{
  on_ranks(
      2,
      [&](Communicator& world) {
        if (world.rank() != 0) return;
        using Pace = Offers::Pace;
        Offers offers;
        const Rank& peer = world.peer(1);
        std::vector<unsigned char> first(offered_bytes), others(offered_bytes + 8 * 64);
        const unsigned char* second = others.data();
        // Where they are is chance: what is known of the one is not to be kept in the other one's stead.
        for (int i = 0; i < 8 && share_a_place(peer, first, second); ++i) second += 64;
        CHECK_FALSE(share_a_place(peer, first, second));
        // The places of the first, in turn with the second one: how often it was measured, and known to be
        // new.
        const auto send_16 = [&](auto&& change) {
          std::pair<int, int> counts;
          for (unsigned i = 0; i < 16; ++i) {
            change(i);
            for (const auto* data : {std::as_const(first).data(), second}) {
              const Pace pace = offers.pace(peer, data, offered_bytes);
              counts.first += pace == Pace::to_be_measured;
              counts.second += pace == Pace::slow;
            }
          }
          return counts;
        };
        using Counts = std::pair<int, int>;
        CHECK(send_16([](unsigned) {}) == Counts{4, 0});
        // A number of the message at its ends says nothing of what is between.
        CHECK(send_16([&](unsigned i) { first.front() = first.back() = static_cast<unsigned char>(i); }) ==
              Counts{4, 0});
        CHECK(send_16([&](unsigned i) {
                std::fill(first.begin(), first.end(), static_cast<unsigned char>(i + 1));
              }) == Counts{0, 4});
        CHECK(send_16([](unsigned) {}) == Counts{4, 0});
        // Shorter or longer it is another message.
        CHECK(offers.pace(peer, first.data(), offered_bytes) == Pace::to_be_measured);
        for (int i = 1; i < 8; ++i) offers.pace(peer, second, offered_bytes);
        std::fill(first.begin(), first.end(), static_cast<unsigned char>(99));
        CHECK(offers.pace(peer, first.data(), offered_bytes - 8) == Pace::to_be_measured);
      },
      8);
}
