// Requests: persistent, cancelled, let go of; progress without the other side; several threads of a rank.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "p2p/engine.hpp"
#include "p2p/stock.hpp"
#include "p2p/world.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using test::byte_type;
using test::complete;
using test::hear;
using test::int_type;
using test::on_ranks;
using test::tell;

TEST_CASE("persistent requests are started again and again")
{
  on_ranks(2, [&](Communicator& world) {
    for (const Count count : {2, 1000, 100000}) {
      std::vector<int> data(static_cast<std::size_t>(count), -1);
      Request& request = world.rank() == 0
                             ? send_init(world, Mode::standard, data.data(), count, int_type(), 1, 3)
                             : receive_init(world, data.data(), count, int_type(), any_source, 3);
      Status status;
      CHECK_FALSE(request.active());
      for (int round = 0; round < 20; ++round) {
        if (world.rank() == 0) std::fill(data.begin(), data.end(), round);
        request.start();
        CHECK(complete(world, request, &status) == ErrorClass::success);
        CHECK(data.back() == round);
        CHECK(request.persistent());
        CHECK_FALSE(request.active());
      }
      request.release();
    }
  });
}

TEST_CASE("more receives than stand in line without the token are met in their order, or cancelled")
{
  constexpr int count = 300;
  on_ranks(2, [&](Communicator& world) {
    if (world.rank() == 0) {
      hear(world, 1);
      for (int i = 0; i < count; ++i)
        if (i % 7 != 0) send(world, Mode::standard, &i, 1, int_type(), 1, i % 3);
      return;
    }
    std::vector<int> got(count, -1);
    std::vector<Request*> requests;
    // Those that are cancelled name a tag that no message has; some stand in line at that time, some do not.
    for (int i = 0; i < count; ++i)
      requests.push_back(&ireceive(world, &got[static_cast<std::size_t>(i)], 1, int_type(),
                                   i % 2 == 0 ? any_source : 0, i % 7 != 0 ? i % 3 : 99));
    for (int i = count - count % 7; i >= 0; i -= 7) requests[static_cast<std::size_t>(i)]->cancel();
    tell(world, 0);
    for (int i = 0; i < count; ++i) {
      Status status;
      CHECK(complete(world, *requests[static_cast<std::size_t>(i)], &status) == ErrorClass::success);
      CHECK(bool(status.cancelled) == (i % 7 == 0));
      CHECK(got[static_cast<std::size_t>(i)] == (i % 7 == 0 ? -1 : i));
      requests[static_cast<std::size_t>(i)]->release();
    }
  });
}

TEST_CASE("a rank that has posted its receive and computes keeps no sender waiting, whoever was first")
{
  constexpr Count bytes = 1 << 20;  // stays in the send buffer
  for (int round = 0; round < 50; ++round) {
    std::atomic<bool> sent = false;
    on_ranks(2, [&](Communicator& world) {
      std::vector<unsigned char> data(bytes, static_cast<unsigned char>(round + world.rank()));
      if (world.rank() == 0) {
        send(world, Mode::standard, data.data(), bytes, byte_type(), 1, 1);
        sent = true;
        return;
      }
      Request& request = ireceive(world, data.data(), bytes, byte_type(), 0, 1);
      while (!sent) std::this_thread::yield();  // outside of MPI
      CHECK(request.complete());
      CHECK(complete(world, request) == ErrorClass::success);
      CHECK(data.back() == round % 256);
      request.release();
    });
  }
}

TEST_CASE("messages that come before their receives are not kept while their rank waits for earlier ones")
{
  constexpr int count = 16, bytes = 200;
  std::atomic<bool> sent = false;
  on_ranks(2, [&](Communicator& world) {
    std::vector<unsigned char> data(bytes, 7);
    if (world.rank() == 0) {
      for (int i = 0; i < count; ++i) send(world, Mode::standard, data.data(), bytes, byte_type(), 1, 1);
      sent = true;
      return;
    }
    while (!sent) std::this_thread::yield();
    for (int i = 0; i < count; ++i) {
      Request& request = ireceive(world, data.data(), bytes, byte_type(), 0, 1);
      CHECK(complete(world, request) == ErrorClass::success);
      request.release();
    }
    CHECK(world.self().p2p->kept() == 0);
  });
}

TEST_CASE("a receive that nothing matches can be cancelled, a matched one not")
{
  on_ranks(2, [&](Communicator& world) {
    int value = 42;
    Status status;
    if (world.rank() == 0) {
      send(world, Mode::standard, &value, 1, int_type(), 1, 1);
    } else {
      int got = 0;
      Request& lost = ireceive(world, &got, 1, int_type(), 0, 99);
      lost.cancel();
      CHECK(complete(world, lost, &status) == ErrorClass::success);
      CHECK(status.cancelled == 1);
      lost.release();
      Request& found = ireceive(world, &got, 1, int_type(), 0, 1);
      wait(world.self(), found);
      found.cancel();
      found.reap(&status);
      CHECK(status.cancelled == 0);
      CHECK(got == 42);
      found.release();
    }
  });
}

TEST_CASE("a synchronous send that nobody received can be cancelled")
{
  on_ranks(2, [&](Communicator& world) {
    int value = 1;
    if (world.rank() == 0) {
      Request& request = isend(world, Mode::synchronous, &value, 1, int_type(), 1, 1);
      request.cancel();
      Status status;
      complete(world, request, &status);
      CHECK(status.cancelled == 1);
      request.release();
      value = 2;
      send(world, Mode::standard, &value, 1, int_type(), 1, 2);
      send(world, Mode::standard, &value, 1, int_type(), 1, 1);
    } else {
      // The first message may be probed before it is cancelled; what tells that it has been comes first.
      Status status = probe(world, 0, any_tag);
      receive(world, &value, 1, int_type(), 0, 2, &status);
      value = 0;
      receive(world, &value, 1, int_type(), 0, 1, &status);
      CHECK(value == 2);
    }
  });
}

TEST_CASE("a send behind another's place in the mailbox, which is not filled yet, can be cancelled")
{
  memmodel::Flag<> claimed, cancels, cancelled;
  on_ranks(3, [&](Communicator& world) {
    int value = 1;
    switch (world.rank()) {
      case 0:
        receive(world, nullptr, 0, int_type(), 2, 7, nullptr);
        // Else it may meet the message before the cancel does.
        while (!cancelled.is_set()) memmodel::Native::yield();
        receive(world, &value, 1, int_type(), 1, 1, nullptr);
        CHECK(value == 2);
        break;
      case 1: {
        while (!claimed.is_set()) memmodel::Native::yield();
        Request& request = isend(world, Mode::synchronous, &value, 1, int_type(), 0, 1);
        cancels.set();
        request.cancel();
        cancelled.set();
        Status status;
        complete(world, request, &status);
        CHECK(status.cancelled == 1);
        request.release();
        value = 2;
        send(world, Mode::standard, &value, 1, int_type(), 0, 1);
        break;
      }
      default:
        world.peer(0).p2p->push([&](Envelope& envelope) {
          claimed.set();
          while (!cancels.is_set()) memmodel::Native::yield();
          // Long enough for a cancel that does not wait to find its message neither kept nor matched.
          for (int i = 0; i < 1000; ++i) memmodel::Native::yield();
          envelope = {.context = world.context(),
                      .tag = 7,
                      .source = 2,
                      .carry = Carry::inside,
                      .inside_bytes = 0,
                      .inside = {}};
        });
    }
  });
}

TEST_CASE("requests let go of while active complete before the rank ends")
{
  on_ranks(2, [&](Communicator& world) {
    std::vector<int> data(50000, world.rank());
    if (world.rank() == 0) {
      let_go(isend(world, Mode::standard, data.data(), 50000, int_type(), 1, 1), {});
      complete_orphans(world.self());
    } else {
      receive(world, data.data(), 50000, int_type(), 0, 1, nullptr);
      CHECK(data.back() == 0);
    }
  });
}

// MPI 5.0 §2.9 and §12.7.3: what must complete although one side never enters MPI again.
TEST_CASE("a large receive completes although its rank, having posted it, only looks at shared memory")
{
  std::atomic<bool> sent = false;
  on_ranks(2, [&](Communicator& world) {
    std::vector<int> data(1 << 20, world.rank() + 5);
    if (world.rank() == 0) {
      send(world, Mode::synchronous, data.data(), 1 << 20, int_type(), 1, 1);
      sent.store(true, std::memory_order_release);
    } else {
      Request& request = ireceive(world, data.data(), 1 << 20, int_type(), 0, 1);
      while (!sent.load(std::memory_order_acquire)) std::this_thread::yield();
      CHECK(data.back() == 5);
      CHECK(request.complete());
      complete(world, request);
      request.release();
    }
  });
}

TEST_CASE("a buffered send, a receive and a detach do not wait for a rank that spins on a shared variable")
{
  std::atomic<int> flag = 0;
  on_ranks(2, [&](Communicator& world) {
    std::vector<int> data(100000, 3);
    if (world.rank() == 0) {
      std::vector<char> buffer(500000);
      process_buffer(world.self()).attach(buffer.data(), static_cast<Count>(buffer.size()));
      send(world, Mode::buffered, data.data(), 100000, int_type(), 1, 1);
      int go = 0;
      receive(world, &go, 1, int_type(), 1, 2, nullptr);
      process_buffer(world.self()).detach();
      flag.store(1, std::memory_order_release);
    } else {
      const int go = 1;
      send(world, Mode::standard, &go, 1, int_type(), 0, 2);
      while (flag.load(std::memory_order_acquire) == 0) std::this_thread::yield();
      receive(world, data.data(), 100000, int_type(), 0, 1, nullptr);
      CHECK(data.front() == 3);
    }
  });
}

TEST_CASE("a full mailbox of a rank that does not receive does not stop its senders")
{
  std::atomic<bool> sent = false;
  on_ranks(3, [&](Communicator& world) {
    constexpr int messages = 5000;
    if (world.rank() != 0) {
      for (int i = 0; i < messages; ++i) send(world, Mode::standard, &i, 1, int_type(), 0, world.rank());
      if (world.rank() == 1) sent.store(true, std::memory_order_release);
    } else {
      while (!sent.load(std::memory_order_acquire)) std::this_thread::yield();
      bool in_order = true;
      for (int tag : {2, 1}) {
        for (int i = 0; i < messages; ++i) {
          int got = -1;
          receive(world, &got, 1, int_type(), tag, tag, nullptr);
          in_order = in_order && got == i;
        }
      }
      CHECK(in_order);
    }
  });
}

TEST_CASE("several threads of each rank send and receive at once")
{
  constexpr int threads = 3;
  constexpr int messages = 400;
  std::atomic<int> wrong = 0;
  on_ranks(
      2,
      [&](Communicator& world) {
        std::vector<std::thread> team;
        for (int t = 0; t < threads; ++t) {
          team.emplace_back([&, t] {
            bind_current_rank(&world.self());
            std::vector<int> data(20000);
            const int peer = 1 - world.rank();
            for (int i = 0; i < messages; ++i) {
              const Count count = i % 7 == 0 ? 20000 : 1 + i % 50;
              Request& request = ireceive(world, data.data(), count, int_type(), peer, t);
              std::vector<int> out(static_cast<std::size_t>(count), i * threads + t);
              send(world, i % 5 == 0 ? Mode::synchronous : Mode::standard, out.data(), count, int_type(),
                   peer, t);
              if (complete(world, request) != ErrorClass::success ||
                  data[static_cast<std::size_t>(count) - 1] != i * threads + t)
                wrong.fetch_add(1, std::memory_order_relaxed);
              request.release();
            }
          });
        }
        for (std::thread& thread : team) thread.join();
      },
      2, ThreadLevel::multiple);
  CHECK(wrong.load(std::memory_order_relaxed) == 0);
}

TEST_CASE("a stock keeps a number of unused requests, and frees what comes back beyond")
{
  on_ranks(1, [](Communicator& world) {
    constexpr std::size_t most = Stock<ReceiveRequest>::most_free;
    Stock<ReceiveRequest> stock(world.self());
    std::vector<ReceiveRequest*> taken;
    const auto take = [&](std::size_t number) {
      while (taken.size() < number) taken.push_back(&stock.take());
    };
    take(3 * most);
    CHECK(stock.size() == 3 * most);
    // In another order than they were taken in.
    std::mt19937 random(7);
    std::shuffle(taken.begin(), taken.end(), random);
    while (taken.size() > most / 2) {
      stock.give(*taken.back());
      taken.pop_back();
    }
    CHECK(stock.size() == most + most / 2);
    take(2 * most);
    CHECK(stock.size() == 2 * most);
    CHECK(std::set<ReceiveRequest*>(taken.begin(), taken.end()).size() == taken.size());
    for (ReceiveRequest* request : taken) stock.give(*request);
    CHECK(stock.size() == most);
  });
}

TEST_CASE("random traffic among many ranks: every message arrives once, with its data")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  constexpr int ranks = 7;
  constexpr int messages = 300;
  std::atomic<long> wrong = 0;
  on_ranks(ranks, [&](Communicator& world) {
    const int me = world.rank();
    // Everybody knows everybody's random choices: message i of rank r goes to dest(r, i) with size(r, i)
    // ints.
    const auto draw = [&](int r, int i) {
      std::mt19937 random(seed + static_cast<unsigned>(r * messages + i));
      const int dest = static_cast<int>(random() % ranks);
      const Count size = random() % 4 == 0 ? 4000 + random() % 3000 : random() % 64;
      return std::pair{dest, size};
    };
    std::vector<Request*> requests;
    std::vector<std::vector<int>> out, in;
    std::vector<std::pair<int, int>> expected;
    for (int r = 0; r < ranks; ++r) {
      for (int i = 0; i < messages; ++i) {
        const auto [dest, size] = draw(r, i);
        if (dest != me) continue;
        in.emplace_back(static_cast<std::size_t>(size), -1);
        expected.emplace_back(r, i);
        requests.push_back(&ireceive(world, in.back().data(), size, int_type(), r, i));
      }
    }
    const std::size_t receives = requests.size();
    for (int i = 0; i < messages; ++i) {
      const auto [dest, size] = draw(me, i);
      out.emplace_back(static_cast<std::size_t>(size), me * messages + i);
      const Mode mode = i % 3 == 0 ? Mode::synchronous : Mode::standard;
      requests.push_back(&isend(world, mode, out.back().data(), size, int_type(), dest, i));
    }
    for (std::size_t k = 0; k < requests.size(); ++k) {
      if (complete(world, *requests[k]) != ErrorClass::success) wrong.fetch_add(1, std::memory_order_relaxed);
      requests[k]->release();
      if (k >= receives) continue;
      for (int value : in[k])
        if (value != expected[k].first * messages + expected[k].second)
          wrong.fetch_add(1, std::memory_order_relaxed);
    }
  });
  CHECK(wrong.load(std::memory_order_relaxed) == 0);
}

TEST_CASE("a failing rank does not leave a receive behind in the others")
{
  CHECK_THROWS_WITH(on_ranks(3,
                             [&](Communicator& world) {
                               int value = 0;
                               if (world.rank() == 0) throw std::runtime_error("gone");
                               if (world.rank() == 1) receive(world, &value, 1, int_type(), 0, 1, nullptr);
                               if (world.rank() == 2) {
                                 std::vector<int> large(100000);
                                 send(world, Mode::standard, large.data(), 100000, int_type(), 0, 1);
                               }
                             }),
                    "gone");
}
