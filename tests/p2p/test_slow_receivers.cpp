// Receivers that take less than their senders send: what is kept for them, and who waits.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <random>

#include "p2p/engine.hpp"
#include "p2p/random_traffic.hpp"
#include "p2p/room_wait.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using test::byte_type;
using test::complete;
using test::int_type;
using test::on_random_ranks;
using test::on_ranks;

namespace {

// A receiver that begins a receive, and so takes a cell, each so many pauses; for ever or so often.
struct Pace {
  int pauses_for_one;
  std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  std::int64_t time = 0;

  std::uint32_t begun() const
  {
    const auto all = static_cast<std::uint32_t>(time / pauses_for_one);
    return std::min(all, most);
  }
};

struct Waited {
  std::int64_t pauses;
  bool has_room, wants_help, was_in_vain;
};

// How it waits for `cells` that the receiver must take, from now on.
Waited wait_for(Pace receiver, std::uint64_t cells, int spins, bool patiently)
{
  RoomWait wait(spins, receiver.begun(), patiently);
  const std::uint32_t first = receiver.begun();
  Waited outcome{};
  for (int looks = 0; wait.goes_on(); ++looks) {
    const std::uint64_t taken = receiver.begun() - first;
    outcome.has_room = taken >= cells;
    if (outcome.has_room) break;
    outcome.wants_help = wait.wants_help(cells - taken, [&] { return receiver.begun(); });
    if (outcome.wants_help) break;
    // As pause_while_lacking().
    const int pauses = (1 + static_cast<int>(std::min<std::uint64_t>(cells - taken, 64) / 4))
                       << std::min(looks, 3);
    receiver.time += pauses;
    outcome.pauses += pauses;
    wait.note_paused(pauses);
  }
  outcome.was_in_vain = wait.was_in_vain();
  return outcome;
}

constexpr int spins = 20000;

// Of a vector of these, which is not contiguous, twice as many bytes are spanned.
Ref<Datatype> every_other_byte(Count bytes)
{
  return create_vector(bytes, 1, 2, predefined(Basic::byte));
}

}  // namespace

TEST_CASE("slow receivers: one that receives fast is left alone, for another one the sender acts")
{
  for (const bool patiently : {false, true}) {
    CAPTURE(patiently);
    CHECK(wait_for({10}, 64, spins, patiently).has_room);
    CHECK_FALSE(wait_for({10}, 64, spins, patiently).was_in_vain);
  }
  CHECK(wait_for({1000}, 64, spins, false).wants_help);
  CHECK(wait_for({1000}, 64, spins, false).pauses < 200);
  CHECK(wait_for({1, 0}, 64, spins, false).wants_help);
  // Not for ever, whoever receives.
  const Waited long_one = wait_for({10}, 1000000, spins, false);
  CHECK_FALSE(long_one.wants_help);
  CHECK_FALSE(long_one.has_room);
  CHECK(long_one.pauses < spins + 200);
}

TEST_CASE("slow receivers: where much is kept one that still receives is waited for, until it stands")
{
  for (const int pauses_for_one : {100, 1000, 1800}) {
    CAPTURE(pauses_for_one);
    const Waited outcome = wait_for({pauses_for_one}, 64, spins, true);
    CHECK(outcome.has_room);
    CHECK(outcome.pauses >= 64 * pauses_for_one);
  }
  // One that has begun ten and no more, and one that is too slow.
  for (const Pace receiver : {Pace{1000, 10}, Pace{10000}}) {
    CAPTURE(receiver.pauses_for_one);
    const Waited outcome = wait_for(receiver, 64, spins, true);
    CHECK_FALSE(outcome.has_room);
    CHECK_FALSE(outcome.wants_help);
    CHECK(outcome.was_in_vain);
    CHECK(outcome.pauses < 10 * 1000 + 3000);
  }
}

TEST_CASE("slow receivers: a queue is long until it has come down to little")
{
  constexpr std::size_t limit = 1 << 20;
  UnexpectedQueue queue(limit);
  std::vector<Parcel*> parcels;
  const auto add = [&] {
    Envelope envelope{};
    envelope.carry = Carry::parcel;
    envelope.parcel = Parcel::make(10000);
    queue.add(envelope);
  };
  const auto remove = [&] {
    Unexpected& message = *queue.first();
    queue.remove(message);
    message.envelope.parcel->free();
    queue.recycle(message);
  };
  for (int turn = 0; turn < 3; ++turn) {
    int count = 0;
    for (; !queue.is_long(); ++count) add();
    CHECK(count > 20);
    CHECK(count < 40);
    CHECK_FALSE(queue.is_full());
    // Full, and still long when it is full no more.
    for (; !queue.is_full(); ++count) add();
    CHECK(count > 100);
    CHECK(queue.is_long());
    for (; queue.is_full(); --count) remove();
    CHECK(count < 60);
    CHECK(count > 40);
    CHECK(queue.is_long());
    for (; queue.is_long(); --count) remove();
    CHECK(count < 10);
    CHECK(count > 0);
    for (; count > 0; --count) remove();
    CHECK(queue.empty());
  }

  // With a limit below that it is full at once.
  UnexpectedQueue small(5000);
  Envelope envelope{};
  envelope.carry = Carry::parcel;
  envelope.parcel = Parcel::make(10000);
  small.add(envelope);
  CHECK(small.is_full());
  CHECK(small.is_long());
}

TEST_CASE("slow receivers: what was sent before an offer in vain stays in the mailbox")
{
  std::atomic<bool> is_sent = false;
  std::atomic<int> wrong = 0;
  std::atomic<std::uint64_t> kept = 1000;
  on_ranks(2, [&](Communicator& world) {
    std::vector<unsigned char> data(3000);
    const auto count = static_cast<Count>(data.size());
    if (world.rank() == 0) {
      for (int i = 0; i < 3; ++i) send(world, Mode::standard, &i, 1, int_type(), 1, i);
      send(world, Mode::standard, data.data(), 500, byte_type(), 1, 3);
      std::fill(data.begin(), data.end(), 7);
      send(world, Mode::standard, data.data(), count, byte_type(), 1, 4);
      std::fill(data.begin(), data.end(), 0);
      is_sent = true;
      return;
    }
    while (!is_sent) memmodel::Native::yield();
    kept = world.self().p2p->kept();
    receive(world, data.data(), count, byte_type(), 0, 4, nullptr);
    wrong += data != std::vector<unsigned char>(data.size(), 7);
    for (int i = 2; i >= 0; --i) {
      int number = -1;
      receive(world, &number, 1, int_type(), 0, i, nullptr);
      wrong += number != i;
    }
    receive(world, data.data(), 500, byte_type(), 0, 3, nullptr);
    wrong += !std::all_of(data.begin(), data.begin() + 500, [](unsigned char c) { return c == 0; });
  });
  CHECK(kept == 0);
  CHECK(wrong == 0);
}

TEST_CASE("slow receivers: a mailbox is full when so many bytes are on the way, and lets a long one in")
{
  for (const Count bytes : {1500, 8 * 1024, 16 * 1024}) {
    CAPTURE(bytes);
    const int fitting = static_cast<int>(mailbox_cells / Envelope::cells_of_parcel(bytes));
    CHECK(fitting >= 4);
    std::atomic<int> wrong = 0;
    std::array<std::atomic<std::uint64_t>, 2> kept{};
    std::atomic<int> sent = 0, looked = 0;
    on_ranks(2, [&](Communicator& world) {
      const Ref<Datatype> type = every_other_byte(bytes);
      std::vector<unsigned char> data(static_cast<std::size_t>(2 * bytes));
      const auto is_there = [](std::atomic<int>& count, int n) {
        while (count < n) memmodel::Native::yield();
      };
      if (world.rank() == 0) {
        for (int i = 0; i <= fitting; ++i) {
          if (i == fitting) {
            sent = 1;
            is_there(looked, 1);
          }
          std::fill(data.begin(), data.end(), static_cast<unsigned char>(i));
          send(world, Mode::standard, data.data(), 1, *type, 1, 0);
        }
        sent = 2;
        return;
      }
      for (int look = 0; look < 2; ++look) {
        is_there(sent, look + 1);
        kept[static_cast<std::size_t>(look)] = world.self().p2p->kept();
        looked = look + 1;
      }
      for (int i = 0; i <= fitting; ++i) {
        receive(world, data.data(), bytes, byte_type(), 0, 0, nullptr);
        wrong += !std::all_of(data.begin(), data.begin() + bytes,
                              [&](unsigned char c) { return c == static_cast<unsigned char>(i); });
      }
    });
    CHECK(kept[0] == 0);
    CHECK(kept[1] == static_cast<std::uint64_t>(fitting));
    CHECK(wrong == 0);
  }
  CHECK(Envelope::cells_of_parcel(Count{1} << 40) * 4 <= mailbox_cells);
}

TEST_CASE("slow receivers: random streams of several ranks, much more than is kept without a wait")
{
  on_random_ranks([](Communicator& world, unsigned seed, std::atomic<int>& wrong) {
    constexpr int messages = 4000;
    constexpr Count longest = 6000;
    std::mt19937 own(seed * 7 + static_cast<unsigned>(world.rank()));
    const auto content = [](int from, int number) { return static_cast<unsigned char>(from + 3 * number); };
    std::vector<unsigned char> data(longest);
    if (world.rank() > 0) {
      for (int i = 0; i < messages; ++i) {
        const Count bytes = own() % 3 == 0 ? own() % 40 : own() % longest;
        std::fill_n(data.begin(), bytes, content(world.rank(), i));
        if (own() % 4 == 0) {
          Request& request = isend(world, Mode::standard, data.data(), bytes, byte_type(), 0, i % 2);
          complete(world, request);
          request.release();
        } else {
          const Mode mode = own() % 16 == 0 ? Mode::synchronous : Mode::standard;
          send(world, mode, data.data(), bytes, byte_type(), 0, i % 2);
        }
      }
      return;
    }
    // By rank and tag: each tag's numbers go up by two.
    const int ranks = world.size();
    std::vector<std::array<int, 2>> next(static_cast<std::size_t>(ranks), {0, 1});
    for (int left = messages * (ranks - 1); left > 0; --left) {
      for (auto spin = own() % 8 == 0 ? own() % 300 : 0; spin > 0; --spin) memmodel::Native::pause();
      Status status;
      receive(world, data.data(), longest, byte_type(), any_source, any_tag, &status);
      int& number = next[static_cast<std::size_t>(status.source)][static_cast<std::size_t>(status.tag)];
      const unsigned char wanted = content(status.source, number);
      wrong += !std::all_of(data.begin(), data.begin() + status.bytes,
                            [&](unsigned char c) { return c == wanted; });
      number += 2;
    }
    for (int source = 1; source < ranks; ++source)
      wrong += next[static_cast<std::size_t>(source)] != std::array<int, 2>{messages, messages + 1};
  });
}
