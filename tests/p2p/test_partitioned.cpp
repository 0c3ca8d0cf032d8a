// Partitioned communication: what arrives when, in all divisions, by many threads.
#include <doctest/doctest.h>

#include <sys/resource.h>

#include <atomic>
#include <climits>
#include <numeric>
#include <random>
#include <thread>

#include "p2p/world.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using test::complete;
using test::hear;
using test::int_type;
using test::on_ranks;
using test::tell;

namespace {

ErrorClass class_of(const std::function<void()>& body)
{
  try {
    body();
  } catch (const Error& error) {
    return error.error_class();
  }
  return ErrorClass::success;
}

}  // namespace

TEST_CASE("a partition arrives when it is ready, while the others are not")
{
  on_ranks(2, [&](Communicator& world) {
    constexpr int partitions = 6;
    std::vector<int> data(partitions * 10, -1);
    Status status;
    if (world.rank() == 0) {
      std::iota(data.begin(), data.end(), 0);
      Request& request = partitioned_send_init(world, data.data(), partitions, 10, int_type(), 1, 7);
      request.start();
      for (int i : {4, 0, 1, 5, 2, 3}) {
        mark_ready(request, i);
        CHECK_FALSE((i == 2 && request.complete()));
        tell(world, 1);
        hear(world, 1);
      }
      CHECK(complete(world, request) == ErrorClass::success);
      request.release();
    } else {
      // Half as many, twice as large.
      Request& request = partitioned_receive_init(world, data.data(), partitions / 2, 20, int_type(), 0, 7);
      request.start();
      const int expected[partitions][3] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {1, 0, 1}, {1, 1, 1}};
      for (const auto& step : expected) {
        hear(world, 0);
        for (int i = 0; i < 3; ++i) {
          CHECK(has_arrived(request, i) == (step[i] != 0));
          if (step[i]) CHECK(data[static_cast<std::size_t>(i * 20 + 19)] == i * 20 + 19);
        }
        tell(world, 0);
      }
      CHECK(complete(world, request, &status) == ErrorClass::success);
      CHECK(status.source == 0);
      CHECK(status.tag == 7);
      CHECK(Count{status.bytes} == partitions * 10 * static_cast<Count>(sizeof(int)));
      CHECK(has_arrived(request, 2));
      request.release();
    }
  });
}

TEST_CASE("all divisions of 60 numbers into partitions, contiguous or not, over several rounds")
{
  constexpr int all = 60;
  on_ranks(2, [&](Communicator& world) {
    const Ref<Datatype> strided = create_vector(3, 1, 2, int_type());
    strided->commit();
    int wrong = 0, tag = 0;
    for (int mine : {1, 2, 4, 5, 10, 20})
      for (int theirs : {1, 2, 3, 4, 20})
        for (int kind = 0; kind < 4; ++kind) {
          const bool sends = world.rank() == 0;
          const bool gaps = (kind & (sends ? 1 : 2)) != 0;
          const int partitions = sends ? mine : theirs;
          const int each = all / partitions;
          if (gaps && each % 3 != 0) {
            ++tag;
            continue;
          }
          const bool other_gaps = (kind & (sends ? 2 : 1)) != 0;
          if (other_gaps && all / (sends ? theirs : mine) % 3 != 0) {
            ++tag;
            continue;
          }
          std::vector<int> data(2 * all + 2, -1);
          const Datatype& type = gaps ? *strided : int_type();
          const Count count = gaps ? each / 3 : each;
          // Element i of the data: three in every five places of a strided element.
          const auto place = [&](int i) {
            return static_cast<std::size_t>(gaps ? i / 3 * 5 + i % 3 * 2 : i);
          };
          Request& request =
              sends ? partitioned_send_init(world, data.data(), partitions, count, type, 1, tag)
                    : partitioned_receive_init(world, data.data(), partitions, count, type, 0, tag);
          for (int round = 0; round < 3; ++round) {
            if (sends)
              for (int i = 0; i < all; ++i) data[place(i)] = 100 * round + i;
            request.start();
            if (sends)
              for (int p = 0; p < partitions; ++p) mark_ready(request, (p + round) % partitions);
            if (complete(world, request) != ErrorClass::success) ++wrong;
            for (int i = 0; i < all; ++i)
              if (data[place(i)] != 100 * round + i) ++wrong;
          }
          request.release();
          ++tag;
        }
    CHECK(wrong == 0);
  });
}

TEST_CASE("matching is in the order of the initializations, whoever comes first, and not with messages")
{
  for (const bool sender_first : {true, false})
    on_ranks(2, [&](Communicator& world) {
      constexpr int requests = 5;
      std::vector<int> data(requests, -1);
      std::vector<Request*> mine;
      int message = 42;
      if ((world.rank() == 0) != sender_first) hear(world, 1 - world.rank());
      for (int i = 0; i < requests; ++i) {
        int* const item = &data[static_cast<std::size_t>(i)];
        mine.push_back(world.rank() == 0 ? &partitioned_send_init(world, item, 1, 1, int_type(), 1, 3)
                                         : &partitioned_receive_init(world, item, 1, 1, int_type(), 0, 3));
        // Started before the other side is known.
        if (world.rank() == 0) *item = 10 + i;
        mine.back()->start();
        if (world.rank() == 0) mark_ready(*mine.back(), 0);
      }
      if ((world.rank() == 0) == sender_first) tell(world, 1 - world.rank());
      if (world.rank() == 0) {
        send(world, Mode::standard, &message, 1, int_type(), 1, 3);
      } else {
        receive(world, &message, 1, int_type(), any_source, any_tag, nullptr);
        CHECK(message == 42);
      }
      for (Request* request : mine) {
        CHECK(complete(world, *request) == ErrorClass::success);
        request->release();
      }
      for (int i = 0; i < requests; ++i) CHECK(data[static_cast<std::size_t>(i)] == 10 + i);
    });
}

TEST_CASE("errors of partitioned communication")
{
  on_ranks(1, [&](Communicator& world) {
    int in[4] = {}, out[4] = {1, 2, 3, 4};
    CHECK(class_of([&] { partitioned_send_init(world, out, -1, 1, int_type(), 0, 1); }) == ErrorClass::arg);
    CHECK(class_of([&] { partitioned_send_init(world, out, 4, Count{1} << 61, int_type(), 0, 1); }) ==
          ErrorClass::count);
    Request& send = partitioned_send_init(world, out, 4, 1, int_type(), 0, 1);
    Request& receive = partitioned_receive_init(world, in, 2, 2, int_type(), 0, 1);
    CHECK(class_of([&] { mark_ready(send, 0); }) == ErrorClass::request);
    CHECK(has_arrived(receive, 0));
    CHECK(class_of([&] { has_arrived(receive, 2); }) == ErrorClass::arg);
    CHECK(class_of([&] { has_arrived(send, 0); }) == ErrorClass::request);
    CHECK(class_of([&] { mark_ready(receive, 0); }) == ErrorClass::request);
    for (int round = 0; round < 4; ++round) {
      send.start();
      receive.start();
      CHECK(class_of([&] { mark_ready(send, -1); }) == ErrorClass::arg);
      CHECK(class_of([&] { mark_ready(send, 4); }) == ErrorClass::arg);
      CHECK(class_of([&] { send.check_may_be_let_go(); }) == ErrorClass::request);
      CHECK(class_of([&] { receive.check_may_be_let_go(); }) == ErrorClass::request);
      CHECK(class_of([&] { send.cancel(); }) == ErrorClass::request);
      for (int i = 0; i < 4; ++i) {
        mark_ready(send, i);
        CHECK(class_of([&] { mark_ready(send, i); }) == ErrorClass::arg);
      }
      CHECK(complete(world, send) == ErrorClass::success);
      CHECK(complete(world, receive) == ErrorClass::success);
      CHECK(in[3] == 4);
    }
    send.release();
    receive.release();

    // More than there is room for: what fits arrives, and the error is told.
    Request& longer = partitioned_send_init(world, out, 4, 1, int_type(), 0, 2);
    Request& shorter = partitioned_receive_init(world, in, 2, 1, int_type(), 0, 2);
    in[2] = -7;
    Status status;
    longer.start();
    shorter.start();
    for (int i = 0; i < 4; ++i) mark_ready(longer, i);
    CHECK(complete(world, longer) == ErrorClass::success);
    CHECK(complete(world, shorter, &status) == ErrorClass::truncate);
    CHECK(Count{status.bytes} == 8);
    CHECK(in[2] == -7);
    longer.release();
    shorter.release();
  });
}

TEST_CASE("partitions without data, and with nobody")
{
  on_ranks(1, [&](Communicator& world) {
    Request& send = partitioned_send_init(world, nullptr, 3, 0, int_type(), 0, 1);
    Request& receive = partitioned_receive_init(world, nullptr, 2, 0, int_type(), 0, 1);
    for (int round = 0; round < 3; ++round) {
      receive.start();
      send.start();
      mark_ready(send, 0);
      mark_ready(send, 2);
      CHECK_FALSE(has_arrived(receive, 0));
      CHECK_FALSE(send.complete());
      mark_ready(send, 1);
      CHECK(has_arrived(receive, 0));
      CHECK(complete(world, receive) == ErrorClass::success);
      CHECK(complete(world, send) == ErrorClass::success);
    }
    send.release();
    receive.release();

    int data[4] = {};
    Request& to_nobody = partitioned_send_init(world, data, 4, 1, int_type(), proc_null, 1);
    Request& from_nobody = partitioned_receive_init(world, data, 4, 1, int_type(), proc_null, 1);
    for (int round = 0; round < 3; ++round) {
      Status status;
      to_nobody.start();
      from_nobody.start();
      for (int i = 0; i < 4; ++i) {
        CHECK_FALSE(to_nobody.complete());
        mark_ready(to_nobody, i);
        CHECK(class_of([&] { mark_ready(to_nobody, i); }) == ErrorClass::arg);
      }
      CHECK(complete(world, to_nobody) == ErrorClass::success);
      CHECK(has_arrived(from_nobody, 3));
      CHECK(complete(world, from_nobody, &status) == ErrorClass::success);
      CHECK(status.source == proc_null);
      CHECK(Count{status.bytes} == 0);
    }
    to_nobody.release();
    from_nobody.release();
  });
}

TEST_CASE("no partitions on one side or on both")
{
  on_ranks(1, [&](Communicator& world) {
    for (const auto& counts : {std::pair{0, 0}, {0, 3}, {2, 0}}) {
      const int mine = counts.first, theirs = counts.second;
      CAPTURE(mine);
      CAPTURE(theirs);
      int data = 0;
      Request& send = partitioned_send_init(world, &data, mine, mine ? 0 : 5, int_type(), 0, 1);
      Request& receive = partitioned_receive_init(world, &data, theirs, 1, int_type(), 0, 1);
      for (int round = 0; round < 4; ++round) {
        Status status;
        if (round % 2 == 0) receive.start();
        send.start();
        CHECK(class_of([&] { mark_ready(send, mine); }) == ErrorClass::arg);
        CHECK(class_of([&] { has_arrived(receive, theirs); }) == ErrorClass::arg);
        for (int i = 0; i < mine; ++i) mark_ready(send, i);
        if (round % 2 != 0) receive.start();
        CHECK(complete(world, receive, &status) == ErrorClass::success);
        CHECK(status.source == 0);
        CHECK(Count{status.bytes} == 0);
        CHECK(complete(world, send) == ErrorClass::success);
      }
      send.release();
      receive.release();
    }
    Request& to_nobody = partitioned_send_init(world, nullptr, 0, 1, int_type(), proc_null, 1);
    for (int round = 0; round < 3; ++round) {
      to_nobody.start();
      CHECK(complete(world, to_nobody) == ErrorClass::success);
    }
    to_nobody.release();
  });
}

TEST_CASE("what comes for a receive of no partitions is too long")
{
  on_ranks(1, [&](Communicator& world) {
    int data = 0;
    Request& send = partitioned_send_init(world, &data, 1, 1, int_type(), 0, 1);
    Request& receive = partitioned_receive_init(world, &data, 0, 1, int_type(), 0, 1);
    receive.start();
    send.start();
    mark_ready(send, 0);
    CHECK(complete(world, receive) == ErrorClass::truncate);
    CHECK(complete(world, send) == ErrorClass::success);
    send.release();
    receive.release();
  });
}

TEST_CASE("a request that nothing matched can be given back")
{
  on_ranks(2, [&](Communicator& world) {
    int value = 0;
    const int peer = 1 - world.rank();
    partitioned_send_init(world, &value, 1, 1, int_type(), peer, 1).release();
    partitioned_receive_init(world, &value, 1, 1, int_type(), peer, 2).release();
  });
}

// More threads than cores on both sides: partitions are marked by several, and awaited by several.
TEST_CASE("threads mark partitions ready and wait for others to arrive")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  constexpr int team = 3;
  std::atomic<int> wrong = 0;
  on_ranks(
      2,
      [&](Communicator& world) {
        std::mt19937 random(seed);  // the same on both sides
        for (int round = 0; round < 40; ++round) {
          const int mine = 1 << random() % 7, theirs = 1 << random() % 7;
          const int all = 64 * (1 + static_cast<int>(random() % 40));
          std::vector<int> data(static_cast<std::size_t>(all), -1);
          const bool sends = world.rank() == round % 2;
          const int partitions = sends ? mine : theirs, each = all / partitions;
          Request& request = sends ? partitioned_send_init(world, data.data(), partitions, each, int_type(),
                                                           1 - world.rank(), 1)
                                   : partitioned_receive_init(world, data.data(), partitions, each,
                                                              int_type(), 1 - world.rank(), 1);
          for (int turn = 0; turn < 3; ++turn) {
            request.start();
            std::vector<std::thread> threads;
            for (int t = 0; t < team; ++t)
              threads.emplace_back([&, t] {
                bind_current_rank(&world.self());
                for (int p = t; p < partitions; p += team) {
                  const std::size_t begin = static_cast<std::size_t>(p * each);
                  if (sends) {
                    for (int i = 0; i < each; ++i)
                      data[begin + static_cast<std::size_t>(i)] = turn * all + p * each + i;
                    mark_ready(request, p);
                  } else {
                    while (!has_arrived(request, p)) std::this_thread::yield();
                    for (int i = 0; i < each; ++i)
                      if (data[begin + static_cast<std::size_t>(i)] != turn * all + p * each + i)
                        wrong.fetch_add(1, std::memory_order_relaxed);
                  }
                }
              });
            if (complete(world, request) != ErrorClass::success)
              wrong.fetch_add(1, std::memory_order_relaxed);
            for (std::thread& thread : threads) thread.join();
          }
          request.release();
        }
      },
      2, ThreadLevel::multiple);
  CHECK(wrong.load(std::memory_order_relaxed) == 0);
}

TEST_CASE("when the last partition is seen to have arrived, the request is complete")
{
  std::atomic<int> incomplete = 0;
  on_ranks(2, [&](Communicator& world) {
    constexpr int partitions = 3;
    int data[partitions] = {};
    Request& request = world.rank() == 0
                           ? partitioned_send_init(world, data, partitions, 1, int_type(), 1, 7)
                           : partitioned_receive_init(world, data, partitions, 1, int_type(), 0, 7);
    for (int round = 0; round < 20000; ++round) {
      request.start();
      for (int i = 0; i < partitions; ++i) {
        if (world.rank() == 0)
          mark_ready(request, i);
        else
          while (!has_arrived(request, i)) memmodel::Native::pause();
      }
      if (world.rank() == 1 && !request.complete()) ++incomplete;
      complete(world, request);
    }
    request.release();
  });
  CHECK(incomplete == 0);
}

TEST_CASE("as many partitions as there can be cost no memory before they are used")
{
  on_ranks(1, [&](Communicator& world) {
    Request& send = partitioned_send_init(world, nullptr, INT_MAX, 0, int_type(), 0, 7);
    Request& receive = partitioned_receive_init(world, nullptr, INT_MAX, 0, int_type(), 0, 7);
    struct rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    // Kilobytes; one byte for each partition would be two million of them.
    CHECK(usage.ru_maxrss < 1'500'000);
    send.release();
    receive.release();
  });
}
