// Messages that take several cells of the mailbox.
#include <doctest/doctest.h>

#include <atomic>
#include <random>

#include "p2p/engine.hpp"
#include "p2p/world.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using test::byte_type;
using test::int_type;
using test::on_ranks;

namespace {

unsigned char byte_at(std::size_t i, unsigned seed)
{
  return static_cast<unsigned char>(seed * 29 + i * 7 + (i >> 8));
}

std::vector<unsigned char> train_data(std::size_t bytes, unsigned seed)
{
  std::vector<unsigned char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = byte_at(i, seed);
  return data;
}

// Around every change of the number of cells, and of the way in which a message travels.
std::vector<std::size_t> interesting_sizes()
{
  std::vector<std::size_t> found;
  for (std::size_t bytes = 36; bytes < 280; ++bytes) found.push_back(bytes);
  for (std::uint32_t i = 5; i < Envelope::train_cells(longest_train); ++i)
    for (int more : {-1, 0, 1}) found.push_back(static_cast<std::size_t>(Envelope::train_offset(i) + more));
  for (std::size_t bytes = 512; bytes <= 8192; bytes *= 2)
    for (int more : {-1, 0, 1}) found.push_back(bytes + static_cast<std::size_t>(more));
  return found;
}

bool intact(const std::vector<unsigned char>& data, std::size_t bytes, unsigned seed)
{
  for (std::size_t i = 0; i < bytes; ++i)
    if (data[i] != byte_at(i, seed)) return false;
  // What lies behind the message is left alone.
  for (std::size_t i = bytes; i < data.size(); ++i)
    if (data[i] != 0xee) return false;
  return true;
}

}  // namespace

TEST_CASE("trains: every size arrives whole, blocking, posted, late and probed")
{
  std::atomic<int> wrong = 0;
  const std::vector<std::size_t> sizes = interesting_sizes();
  on_ranks(2, [&](Communicator& world) {
    Rank& self = world.self();
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      const Count count = static_cast<Count>(sizes[s]);
      const auto seed = static_cast<unsigned>(s);
      int token = 0;
      if (world.rank() == 0) {
        const auto data = train_data(sizes[s], seed);
        send(world, Mode::standard, data.data(), count, byte_type(), 1, 1);
        receive(world, &token, 1, int_type(), 1, 9, nullptr);
        send(world, Mode::standard, data.data(), count, byte_type(), 1, 2);
        send(world, Mode::standard, data.data(), count, byte_type(), 1, 3);
        send(world, Mode::standard, data.data(), count, byte_type(), 1, 4);
        send(world, Mode::standard, &token, 1, int_type(), 1, 9);
        continue;
      }
      const auto check = [&](const std::vector<unsigned char>& data, const Status& status, int tag) {
        if (!intact(data, sizes[s], seed) || status.bytes != count || status.tag != tag || status.source != 0)
          ++wrong;
      };
      const std::vector<unsigned char> fresh(sizes[s] + 9, 0xee);
      const Count room = count + 9;
      auto blocking = fresh, posted = fresh, late = fresh, probed = fresh;
      Status status;
      receive(world, blocking.data(), room, byte_type(), 0, 1, &status);
      check(blocking, status, 1);
      Request& request = ireceive(world, posted.data(), room, byte_type(), any_source, 2);
      send(world, Mode::standard, &token, 1, int_type(), 0, 9);
      receive(world, &token, 1, int_type(), 0, 9, nullptr);
      wait(self, request);
      request.reap(&status);
      request.release();
      check(posted, status, 2);
      status = p2p::probe(world, 0, 4);
      if (status.bytes != count || status.tag != 4) ++wrong;
      receive(world, probed.data(), room, byte_type(), 0, 4, &status);
      check(probed, status, 4);
      receive(world, late.data(), room, byte_type(), 0, 3, &status);
      check(late, status, 3);
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("trains: what is too long fills the receive buffer and is an error")
{
  std::atomic<int> wrong = 0;
  on_ranks(2, [&](Communicator& world) {
    for (const Count room : {Count{0}, Count{5}, Count{32}, Count{33}, Count{100}, Count{499}}) {
      if (world.rank() == 0) {
        const auto data = train_data(500, 3);
        send(world, Mode::standard, data.data(), 500, byte_type(), 1, 1);
        continue;
      }
      std::vector<unsigned char> data(600, 0xee);
      ErrorClass error = ErrorClass::success;
      try {
        receive(world, data.data(), room, byte_type(), 0, 1, nullptr);
      } catch (const Error& e) {
        error = e.error_class();
      }
      if (error != ErrorClass::truncate || !intact(data, static_cast<std::size_t>(room), 3)) ++wrong;
    }
  });
  CHECK(wrong == 0);
}

// Every rank sends to all others in random order, from a few bytes to more than fills a mailbox; receivers
// lag behind, so that mailboxes are full and senders empty them.
TEST_CASE("trains: random sizes among many ranks keep their order")
{
  const unsigned seed = std::random_device{}();
  MESSAGE("seed ", seed);
  constexpr int ranks = 6, messages = 300;
  std::atomic<int> wrong = 0;
  on_ranks(ranks, [&](Communicator& world) {
    std::mt19937 random(seed + static_cast<unsigned>(world.rank()));
    const int me = world.rank();
    std::vector<int> sent(ranks, 0), received(ranks, 0);
    int sends = messages * (ranks - 1), receives = sends;
    std::vector<unsigned char> out(9000), in(9000);
    while (sends + receives > 0) {
      if (sends > 0 && (receives == 0 || random() % 3 != 0)) {
        int dest = static_cast<int>(random() % ranks);
        while (dest == me || sent[static_cast<std::size_t>(dest)] == messages) dest = (dest + 1) % ranks;
        const int number = sent[static_cast<std::size_t>(dest)]++;
        const auto bytes = static_cast<std::size_t>(random() % (random() % 4 == 0 ? 8990 : 200)) + 4;
        out = train_data(bytes, static_cast<unsigned>(me * 1000 + number));
        send(world, Mode::standard, out.data(), static_cast<Count>(bytes), byte_type(), dest, number);
        --sends;
      } else {
        Status status;
        in.assign(9000, 0xee);
        receive(world, in.data(), 9000, byte_type(), any_source, any_tag, &status);
        const int number = received[static_cast<std::size_t>(status.source)]++;
        if (status.tag != number || !intact(in, static_cast<std::size_t>(status.bytes),
                                            static_cast<unsigned>(status.source * 1000 + number)))
          ++wrong;
        --receives;
      }
    }
  });
  CHECK(wrong == 0);
}
