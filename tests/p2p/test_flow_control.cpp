// A limit on what a rank keeps of messages that came before their receives.
#include <doctest/doctest.h>

#include <atomic>
#include <deque>
#include <random>

#include "p2p/engine.hpp"
#include "p2p/world.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using test::byte_type;
using test::complete;

namespace {

constexpr std::size_t limit = 100000;

unsigned char content_at(int from, int number, std::size_t i)
{
  return static_cast<unsigned char>(static_cast<std::size_t>(from * 89 + number * 31) + i * 7);
}

std::vector<unsigned char> content_of(int from, int number, std::size_t bytes)
{
  std::vector<unsigned char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = content_at(from, number, i);
  return data;
}

// Runs body(world) on ranks with that limit.
void on_limited_ranks(int n, std::size_t of, const std::function<void(Communicator&)>& body)
{
  JobOptions options;
  options.unexpected_limit = of;
  test::on_ranks(n, options, body);
}

// What the rank keeps, as its messages say.
std::size_t memory_kept(Rank& rank)
{
  std::size_t bytes = 0;
  for (const WaitingMessage& message : waiting_messages(rank))
    bytes += sizeof(Unexpected) + static_cast<std::size_t>(message.status.bytes);
  return bytes;
}

void receive_and_check(Communicator& world, int source, int number, std::size_t bytes,
                       std::atomic<int>& wrong)
{
  std::vector<unsigned char> data(bytes + 1);
  Status status;
  receive(world, data.data(), static_cast<Count>(data.size()), byte_type(), source, 1, &status);
  data.resize(bytes);
  if (status.bytes != static_cast<Count>(bytes) || data != content_of(source, number, bytes)) ++wrong;
}

}  // namespace

TEST_CASE("flow control: beyond the limit sends wait, and all go on when the receiver has caught up")
{
  // In a cell, in a train, in a parcel, and offered.
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{500}, std::size_t{3000}}) {
    CAPTURE(bytes);
    constexpr int messages = 3000;
    std::atomic<bool> is_sent = false;
    std::atomic<int> wrong = 0, waiting = 0;
    std::atomic<std::size_t> kept = 0;
    on_limited_ranks(2, limit, [&](Communicator& world) {
      Rank& self = world.self();
      if (world.rank() == 0) {
        std::vector<std::vector<unsigned char>> data;
        std::vector<Request*> requests;
        for (int i = 0; i < messages; ++i) {
          data.push_back(content_of(0, i, bytes));
          requests.push_back(&isend(world, Mode::standard, data.back().data(), static_cast<Count>(bytes),
                                    byte_type(), 1, 1));
          requests.back()->advance();
        }
        while (!world.peer(1).p2p->help()) memmodel::Native::yield();
        for (Request* request : requests) waiting += !request->complete();
        if (!is_full(world.peer(1))) ++wrong;
        is_sent = true;
        for (Request* request : requests) {
          complete(world, *request);
          request->release();
        }
        test::hear(world, 1);
        if (is_full(world.peer(1))) ++wrong;
        // There is room again.
        Request& small = isend(world, Mode::standard, data[0].data(), 0, byte_type(), 1, 1);
        if (!small.complete()) ++wrong;
        complete(world, small);
        small.release();
      } else {
        while (!is_sent) memmodel::Native::yield();
        kept = memory_kept(self);
        for (int i = 0; i < messages; ++i) receive_and_check(world, 0, i, bytes, wrong);
        test::tell(world, 0);
        receive_and_check(world, 0, 0, 0, wrong);
      }
    });
    CHECK(wrong == 0);
    CHECK(waiting > 0);
    // All envelopes have come, but of the data no more than what fitted, and what was under way.
    const std::size_t envelopes = messages * sizeof(Unexpected);
    CHECK(kept >= envelopes);
    CHECK(kept <= envelopes + messages * bytes);
    CHECK(static_cast<std::size_t>(messages - waiting) * (bytes + sizeof(Unexpected)) <=
          limit + mailbox_cells * (bytes + sizeof(Unexpected)) + 2 * bytes);
  }
}

TEST_CASE("flow control: blocking senders of many ranks wait for the receives that they need")
{
  constexpr int ranks = 5, messages = 400;
  std::atomic<int> wrong = 0;
  std::atomic<std::size_t> most = 0;
  on_limited_ranks(ranks, 20000, [&](Communicator& world) {
    if (world.rank() == 0) {
      std::vector<int> next(ranks, 0);
      std::vector<unsigned char> data(1000);
      for (int i = 0; i < (ranks - 1) * messages; ++i) {
        most = std::max(most.load(), memory_kept(world.self()));
        Status status;
        receive(world, data.data(), 1000, byte_type(), any_source, any_tag, &status);
        const int number = next[static_cast<std::size_t>(status.source)]++;
        const std::vector<unsigned char> expected =
            content_of(status.source, number, static_cast<std::size_t>(status.bytes));
        if (status.tag != number || status.bytes != 10 + number ||
            !std::equal(expected.begin(), expected.end(), data.begin()))
          ++wrong;
      }
    } else {
      for (int i = 0; i < messages; ++i) {
        const std::vector<unsigned char> data = content_of(world.rank(), i, static_cast<std::size_t>(10 + i));
        send(world, Mode::standard, data.data(), 10 + i, byte_type(), 0, i);
      }
    }
  });
  CHECK(wrong == 0);
  // Each sender waits with one message at most.
  CHECK(most <= 20000 + (mailbox_cells + ranks) * (sizeof(Unexpected) + 500));
}

TEST_CASE("flow control: random messages to random receivers, all modes and lengths")
{
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  constexpr int ranks = 6, rounds = 40, in_round = 30;
  std::atomic<int> wrong = 0;
  on_limited_ranks(ranks, 5000, [&](Communicator& world) {
    const int me = world.rank();
    std::mt19937 random(seed);
    for (int round = 0; round < rounds; ++round) {
      // All draw the same: who sends what to whom, in order.
      struct Sent {
        int from, to, number;
        std::size_t bytes;
        unsigned mode;
      };
      std::vector<Sent> messages;
      for (int i = 0; i < in_round; ++i) {
        const int from = static_cast<int>(random() % ranks), to = static_cast<int>(random() % ranks);
        const std::size_t bytes = random() % 3 == 0 ? random() % 20000 : random() % 600;
        messages.push_back({from, to, round * in_round + i, bytes, static_cast<unsigned>(random() % 8)});
      }
      std::deque<std::vector<unsigned char>> buffers;
      std::vector<Request*> requests;
      for (const Sent& message : messages) {
        if (message.from != me) continue;
        buffers.push_back(content_of(me, message.number, message.bytes));
        const Mode mode = message.mode == 0 ? Mode::synchronous : Mode::standard;
        requests.push_back(&isend(world, mode, buffers.back().data(), static_cast<Count>(message.bytes),
                                  byte_type(), message.to, 1));
      }
      for (const Sent& message : messages) {
        if (message.to != me) continue;
        if (message.mode == 1) {
          Status status;
          const p2p::Message taken = mprobe(world, message.from, 1, &status);
          std::vector<unsigned char> data(static_cast<std::size_t>(status.bytes));
          mreceive(taken, data.data(), status.bytes, byte_type(), &status);
          if (data != content_of(message.from, message.number, message.bytes)) ++wrong;
        } else {
          receive_and_check(world, message.from, message.number, message.bytes, wrong);
        }
      }
      for (Request* request : requests) {
        complete(world, *request);
        request->release();
      }
      // Through one buffer, whether its receiver is full or not.
      std::vector<unsigned char> both = content_of(me, round, round % 2 ? 700u : 90u);
      const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
      Request& exchange = isend_receive_replace(world, both.data(), static_cast<Count>(both.size()),
                                                byte_type(), right, 2, left, 2);
      complete(world, exchange);
      exchange.release();
      if (both != content_of(left, round, both.size())) ++wrong;
    }
  });
  CHECK(wrong == 0);
}
