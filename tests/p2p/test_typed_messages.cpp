// Messages of random derived types: what arrives lies where the byte map of the receiver's type says.
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>

#include "base/sanitized.hpp"
#include "datatype/random_type.hpp"
#include "p2p/world.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using reference::Both;
using reference::Random;
using test::on_ranks;

namespace {

constexpr int rounds = sanitized ? 1000 : 10000;

// Types of one signature, and how many elements of each make a message. Both ranks draw the same ones.
struct Exchange {
  Both send;
  Both recv;
  Count send_count;
  Count recv_count;
  Mode mode;
  int tag;
};

Exchange draw(Random& random)
{
  for (;;) {
    Exchange e;
    e.send = random_type(random, 3);
    if (e.send.plain.map.size() > 100) continue;
    e.send_count = random(1, 3);
    std::vector<Basic> signature;
    for (Count i = 0; i < e.send_count; ++i)
      for (const auto& entry : e.send.plain.map) signature.push_back(entry.basic);
    e.recv = signature.empty() ? e.send : random_receiver(random, signature);
    e.recv_count = 1;
    // Small ones travel in the mailbox or in memory of their own; synchronous ones go from buffer to buffer.
    e.mode = random(0, 1) ? Mode::synchronous : Mode::standard;
    e.tag = static_cast<int>(random(0, 3));
    return e;
  }
}

// Many copies of small types, far enough apart: large enough for two threads to share the copying.
Exchange draw_large(Random& random)
{
  for (;;) {
    Exchange e = draw(random);
    const Count size = e.send_count * e.send.plain.size();
    if (size < 8) continue;
    // One element is now all of the small message.
    const auto spread = [&](Both& type, Count count) {
      Both one{create_contiguous(count, *type.real), blocks(type.plain, {count}, {0})};
      const Count lb = one.plain.true_lb();
      const Count extent = one.plain.true_ub() - lb + random(0, 40);
      one.plain.marked = true;
      one.plain.mark_lb = lb;
      one.plain.mark_ub = lb + extent;
      type = {create_resized(*one.real, lb, extent), one.plain};
    };
    spread(e.send, e.send_count);
    spread(e.recv, 1);
    e.send_count = e.recv_count = 600'000 / size;
    e.mode = Mode::standard;
    return e;
  }
}

// Memory for `count` elements; address() is what the MPI call gets.
struct Memory {
  Memory(const reference::Type& type, Count count) : places(byte_map(type, count))
  {
    Count high = 0;
    for (const Count place : places) {
      low = std::min(low, place);
      high = std::max(high, place + 1);
    }
    bytes.resize(static_cast<std::size_t>(high - low), '\x55');
  }
  char* address() { return bytes.data() - low; }
  char& at(std::size_t i) { return bytes[static_cast<std::size_t>(places[i] - low)]; }

  std::vector<Count> places;
  Count low = 0;
  std::vector<char> bytes;
};

char content(std::size_t place, int round)
{
  return static_cast<char>(place * 7 + (place >> 8) * 13 + static_cast<std::size_t>(round) * 31);
}

// Wrong messages among `count` that rank 0 sends.
int exchange(int count, Exchange (*next)(Random&), std::uint64_t seed)
{
  std::atomic<int> wrong = 0;
  on_ranks(2, [&](Communicator& world) {
    Random random(seed);
    for (int round = 0; round < count; ++round) {
      const Exchange e = next(random);
      Memory source(e.send.plain, e.send_count);
      for (std::size_t i = 0; i < source.bytes.size(); ++i) source.bytes[i] = content(i, round);
      if (world.rank() == 0) {
        send(world, e.mode, source.address(), e.send_count, *e.send.real, 1, e.tag);
        continue;
      }
      Memory target(e.recv.plain, e.recv_count);
      Memory wanted(e.recv.plain, e.recv_count);
      for (std::size_t i = 0; i < source.places.size(); ++i) wanted.at(i) = source.at(i);
      Status status;
      receive(world, target.address(), e.recv_count, *e.recv.real, 0, e.tag, &status);
      if (target.bytes != wanted.bytes || status.bytes != static_cast<Count>(source.places.size())) ++wrong;
    }
  });
  return wrong;
}

}  // namespace

TEST_CASE("random types, sender's and receiver's different, through messages")
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  CHECK(exchange(rounds, draw, seed) == 0);
}

TEST_CASE("large messages of random types, copied by both ranks")
{
  const std::uint64_t seed = std::random_device{}();
  INFO("seed ", seed);
  CHECK(exchange(rounds / 100, draw_large, seed) == 0);
}
