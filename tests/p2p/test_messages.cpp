// What a program sees of sends and receives: data, envelopes, order, modes, errors.
#include <doctest/doctest.h>

#include <atomic>
#include <limits>
#include <numeric>
#include <thread>

#include "p2p/engine.hpp"
#include "p2p/world.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using test::byte_type;
using test::int_type;
using test::on_ranks;

namespace {

std::vector<unsigned char> pattern(std::size_t bytes, int seed)
{
  std::vector<unsigned char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<unsigned char>(static_cast<std::size_t>(seed) * 31 + i * 7 + (i >> 8));
  return data;
}

constexpr std::size_t message_sizes[] = {0, 1, 7, 8, 40, 41, 1000, 16384, 16385, 300000, 3000001};

}  // namespace

TEST_CASE("every size arrives whole in every mode, blocking and nonblocking")
{
  for (const Mode mode : {Mode::standard, Mode::buffered, Mode::synchronous, Mode::ready}) {
    std::atomic<int> wrong = 0;
    on_ranks(2, [&](Communicator& world) {
      std::vector<char> attached(8 << 20);
      if (world.rank() == 0)
        process_buffer(world.self()).attach(attached.data(), static_cast<Count>(attached.size()));
      for (int round = 0; round < 4; ++round) {
        for (const std::size_t size : message_sizes) {
          const std::vector<unsigned char> expected = pattern(size, round);
          const Count count = static_cast<Count>(size);
          if (world.rank() == 0) {
            int go = 0;
            receive(world, &go, 1, int_type(), 1, 1,
                    nullptr);  // the receive is posted: ready mode is correct
            if (round % 2 == 0) {
              send(world, mode, expected.data(), count, byte_type(), 1, 5);
            } else {
              Request& request = isend(world, mode, expected.data(), count, byte_type(), 1, 5);
              wait(world.self(), request);
              request.reap(nullptr);
              request.release();
            }
          } else {
            std::vector<unsigned char> data(size, 0xee);
            Request& request = ireceive(world, data.data(), count, byte_type(), 0, 5);
            send(world, Mode::standard, &round, 1, int_type(), 0, 1);
            wait(world.self(), request);
            Status status;
            const bool good = request.reap(&status) == ErrorClass::success && data == expected &&
                              status.source == 0 && status.tag == 5 && status.bytes == count;
            request.release();
            if (!good) wrong.fetch_add(1, std::memory_order_relaxed);
          }
        }
      }
      if (world.rank() == 0) CHECK(process_buffer(world.self()).detach().first == attached.data());
    });
    CHECK(wrong.load(std::memory_order_relaxed) == 0);
  }
}

TEST_CASE("messages from one sender do not overtake each other, whatever their sizes")
{
  on_ranks(3, [&](Communicator& world) {
    constexpr int messages = 400;
    if (world.rank() != 0) {
      for (int i = 0; i < messages; ++i) {
        std::vector<int> data(static_cast<std::size_t>(i % 5 == 0 ? 6000 : 1 + i % 30), i);
        send(world, Mode::standard, data.data(), static_cast<Count>(data.size()), int_type(), 0, i % 3);
      }
      return;
    }
    int next[3] = {0, 0, 0};
    bool in_order = true;
    for (int i = 0; i < 2 * messages; ++i) {
      std::vector<int> data(6000, -1);
      Status status;
      receive(world, data.data(), 6000, int_type(), any_source, any_tag, &status);
      in_order = in_order && data[0] == next[status.source] && status.tag == data[0] % 3;
      next[status.source] = data[0] + 1;
    }
    CHECK(in_order);
    CHECK(next[1] == messages);
    CHECK(next[2] == messages);
  });
}

TEST_CASE("receives posted in order are matched in order, with and without wildcards")
{
  on_ranks(2, [&](Communicator& world) {
    if (world.rank() == 0) {
      int go = 0;
      receive(world, &go, 1, int_type(), 1, 0, nullptr);
      for (int i = 0; i < 4; ++i) send(world, Mode::standard, &i, 1, int_type(), 1, 7);
    } else {
      int got[4] = {-1, -1, -1, -1};
      Request* requests[4] = {&ireceive(world, &got[0], 1, int_type(), any_source, 7),
                              &ireceive(world, &got[1], 1, int_type(), 0, 7),
                              &ireceive(world, &got[2], 1, int_type(), any_source, any_tag),
                              &ireceive(world, &got[3], 1, int_type(), 0, any_tag)};
      const int go = 1;
      send(world, Mode::standard, &go, 1, int_type(), 0, 0);
      for (Request* request : requests) {
        wait(world.self(), *request);
        request->reap(nullptr);
        request->release();
      }
      for (int i = 0; i < 4; ++i) CHECK(got[i] == i);
    }
  });
}

TEST_CASE("a message longer than the buffer is an error that loses no other message")
{
  on_ranks(2, [&](Communicator& world) {
    for (const Count count : {4, 2000, 100000}) {
      std::vector<int> data(static_cast<std::size_t>(count));
      std::iota(data.begin(), data.end(), 0);
      if (world.rank() == 0) {
        send(world, Mode::standard, data.data(), count, int_type(), 1, 1);
        send(world, Mode::standard, data.data(), 2, int_type(), 1, 2);
      } else {
        std::vector<int> got(static_cast<std::size_t>(count), -1);
        Status status;
        bool thrown = false;
        try {
          receive(world, got.data(), count - 1, int_type(), 0, 1, &status);
        } catch (const Error& error) {
          thrown = error.error_class() == ErrorClass::truncate;
        }
        CHECK(thrown);
        CHECK(got.back() == -1);  // nothing is written behind the buffer
        receive(world, got.data(), count, int_type(), 0, 2, &status);
        CHECK(Count{status.bytes} == 8);
        CHECK(got[1] == 1);
      }
    }
  });
}

TEST_CASE("probe tells the envelope and leaves the message; a matched probe takes it out")
{
  on_ranks(2, [&](Communicator& world) {
    const std::vector<int> data(5000, 9);
    if (world.rank() == 0) {
      for (int tag : {1, 2, 3})
        send(world, Mode::standard, data.data(), tag == 1 ? 3 : 5000, int_type(), 1, tag);
    } else {
      std::vector<int> got(5000, 0);
      Status status = probe(world, any_source, 2);
      CHECK(Count{status.bytes} == 20000);
      CHECK(status.tag == 2);
      Message message = mprobe(world, 0, 2, &status);
      CHECK_FALSE(iprobe(world, 0, 2).has_value());
      receive(world, got.data(), 5000, int_type(), any_source, any_tag, &status);
      CHECK(status.tag == 1);
      mreceive(message, got.data(), 5000, int_type(), &status);
      CHECK(status.tag == 2);
      CHECK(got == data);
      Request& request = imreceive(mprobe(world, any_source, any_tag, &status), got.data(), 5000, int_type());
      wait(world.self(), request);
      CHECK(request.reap(&status) == ErrorClass::success);
      CHECK(status.tag == 3);
      request.release();
      CHECK(probe(world, proc_null, 0).source == proc_null);
    }
  });
}

TEST_CASE("sends to oneself and to nobody")
{
  on_ranks(1, [&](Communicator& world) {
    for (const std::size_t size : message_sizes) {
      const auto data = pattern(size, 3);
      std::vector<unsigned char> got(size);
      Status status;
      send_receive(world, data.data(), static_cast<Count>(size), byte_type(), 0, 1, got.data(),
                   static_cast<Count>(size), byte_type(), 0, 1, &status);
      CHECK(got == data);
    }
    send(world, Mode::synchronous, nullptr, 0, byte_type(), proc_null, 1);
    Status status;
    receive(world, nullptr, 0, byte_type(), proc_null, 1, &status);
    CHECK(status.source == proc_null);
    CHECK(status.tag == any_tag);
    CHECK(Count{status.bytes} == 0);
  });
}

TEST_CASE("a ring of send_receive_replace among more ranks than cores")
{
  on_ranks(9, [&](Communicator& world) {
    for (const std::size_t count : {1u, 100u, 50000u}) {
      std::vector<int> data(count, world.rank());
      for (int step = 0; step < 9; ++step) {
        send_receive_replace(world, data.data(), static_cast<Count>(count), int_type(),
                             (world.rank() + 1) % 9, 4, (world.rank() + 8) % 9, 4, nullptr);
      }
      CHECK(data == std::vector<int>(count, world.rank()));
    }
  });
}

TEST_CASE("a job that gets cores of its own later looks out for the next message")
{
  constexpr int cores = 1;
  std::atomic<bool> looks = false;
  bool taken = false;
  int got = 0;
  on_ranks(
      2,
      [&](Communicator& world) {
        int number = 7;
        if (world.rank() == 0) {
          REQUIRE(world.self().job.wait_policy().spins == 0);
          world.self().job.wait_by({.spins = std::numeric_limits<int>::max(), .yields = 0, .park = false});
          looks.store(true, std::memory_order_release);
          taken = world.self().p2p->receive_next(&got, sizeof got, int_type(), world, any_source, any_tag,
                                                 nullptr);
          if (!taken) receive(world, &got, 1, int_type(), 1, 3, nullptr);
        } else {
          while (!looks.load(std::memory_order_acquire)) std::this_thread::yield();
          send(world, Mode::standard, &number, 1, int_type(), 0, 3);
        }
      },
      cores);
  CHECK(taken);
  CHECK(got == 7);
}

TEST_CASE("derived types go to other derived types, small and large")
{
  on_ranks(2, [&](Communicator& world) {
    for (const Count count : {3, 2000, 200000}) {
      const Ref<Datatype> every_second = create_vector(count, 1, 2, predefined(Basic::int_));
      std::vector<int> data(static_cast<std::size_t>(2 * count), -1);
      if (world.rank() == 0) {
        for (std::size_t i = 0; i < data.size(); i += 2) data[i] = static_cast<int>(i / 2);
        send(world, Mode::standard, data.data(), 1, *every_second, 1, 1);
        send(world, Mode::standard, data.data(), 1, *every_second, 1, 2);
      } else {
        receive(world, data.data(), count, int_type(), 0, 1, nullptr);
        bool right = true;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
          right = right && data[i] == static_cast<int>(i);
        CHECK(right);
        std::fill(data.begin(), data.end(), -1);
        receive(world, data.data(), 1, *every_second, 0, 2, nullptr);
        right = true;
        for (std::size_t i = 0; i < data.size(); ++i)
          right = right && data[i] == (i % 2 == 0 ? static_cast<int>(i / 2) : -1);
        CHECK(right);
      }
    }
  });
}

TEST_CASE("a buffered send without room is an error; room comes back when messages are received")
{
  on_ranks(2, [&](Communicator& world) {
    const std::vector<char> data(1000, 'x');
    std::vector<char> attached(1000 + buffer_overhead);
    if (world.rank() == 0) {
      CHECK_THROWS_WITH(
          send(world, Mode::buffered, data.data(), 1, byte_type(), 1, 1),
          "the message needs 513 bytes (1 and MPI_BSEND_OVERHEAD, which is 512), and no buffer is "
          "attached to the communicator, its session or the process");
      process_buffer(world.self()).attach(attached.data(), static_cast<Count>(attached.size()));
      CHECK_THROWS_AS(process_buffer(world.self()).attach(attached.data(), 1), Error);
      send(world, Mode::buffered, data.data(), 1000, byte_type(), 1, 1);
      CHECK_THROWS_WITH(
          send(world, Mode::buffered, data.data(), 1000, byte_type(), 1, 1),
          "the message needs 1512 bytes (1000 and MPI_BSEND_OVERHEAD, which is 512), and 1512 are "
          "attached, of which 1 message that is under way uses 1032: attach 3024");
      int received = 0;
      send(world, Mode::standard, &received, 1, int_type(), 1, 2);
      receive(world, &received, 1, int_type(), 1, 2, nullptr);
      send(world, Mode::buffered, data.data(), 1000, byte_type(), 1, 1);
      CHECK(process_buffer(world.self()).detach().second == static_cast<Count>(attached.size()));
      CHECK(process_buffer(world.self()).detach() == std::pair<void*, Count>{nullptr, 0});
    } else {
      std::vector<char> got(1000);
      int received = 1;
      receive(world, &received, 1, int_type(), 0, 2, nullptr);
      receive(world, got.data(), 1000, byte_type(), 0, 1, nullptr);
      send(world, Mode::standard, &received, 1, int_type(), 0, 2);
      receive(world, got.data(), 1000, byte_type(), 0, 1, nullptr);
      CHECK(got == data);
    }
  });
}
