#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "comm/harness.hpp"
#include "comm/ports.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using namespace std::chrono_literals;

namespace {

ErrorClass class_of_failure(const std::function<void()>& call)
{
  try {
    call();
  } catch (const Error& error) {
    return error.error_class();
  }
  return ErrorClass::success;
}

comm::Ports& ports_of(Rank& rank)
{
  return *rank.comm->ports;
}

}  // namespace

TEST_CASE("every port has a name of its own")
{
  test::run(1, [](Rank& rank, Communicator&) {
    std::set<std::string> names;
    for (int i = 0; i < 100; ++i) names.insert(ports_of(rank).open(rank.job));
    CHECK(names.size() == 100);
    for (const std::string& name : names) ports_of(rank).close(name);
    CHECK(class_of_failure([&] { ports_of(rank).close(*names.begin()); }) == ErrorClass::port);
  });
}

TEST_CASE("many clients connect to one port, each alone")
{
  std::string port;
  constexpr int clients = 12;
  test::run(clients + 1, [&](Rank& rank, Communicator& world) {
    if (world.rank() == 0) port = ports_of(rank).open(rank.job);
    CommRef together = comm::split(world, 0, 0);  // everybody knows the name behind it
    std::set<int> seen;
    for (int i = 0; i < (world.rank() == 0 ? clients : 1); ++i) {
      CommRef inter = world.rank() == 0 ? comm::accept(comm::self(rank), 0, port.c_str())
                                        : comm::connect(comm::self(rank), 0, port.c_str());
      CHECK(inter->is_inter());
      CHECK(inter->size() == 1);
      REQUIRE(inter->peer_count() == 1);
      seen.insert(inter->peer(0).world_rank);
      test::free(inter);
    }
    CHECK(seen.size() == (world.rank() == 0 ? clients : 1));
    test::free(together);
  });
}

TEST_CASE("a port that is closed ends the waits there")
{
  std::string port;
  test::run(2, [&](Rank& rank, Communicator& world) {
    if (world.rank() == 0) port = ports_of(rank).open(rank.job);
    CommRef together = comm::split(world, 0, 0);
    // Whichever comes first: the port is gone, or goes while the other one waits.
    if (world.rank() == 0)
      ports_of(rank).close(port);
    else
      CHECK(class_of_failure([&] { comm::accept(comm::self(rank), 0, port.c_str()); }) == ErrorClass::port);
    test::free(together);
  });
}

TEST_CASE("a job that ends ends the waits at its ports")
{
  std::string port;
  test::run(2, [&](Rank& rank, Communicator& world) {
    if (world.rank() == 0) port = ports_of(rank).open(rank.job);
    CommRef together = comm::split(world, 0, 0);
    // Whichever comes first, as above.
    if (world.rank() == 0)
      ports_of(rank).forget(rank.job);
    else
      CHECK(class_of_failure([&] { comm::connect(comm::self(rank), 0, port.c_str(), 1h); }) ==
            ErrorClass::port);
    test::free(together);
  });
}

TEST_CASE("a connection that nobody accepts ends in time, and another one is made afterwards")
{
  std::string port;
  test::run(2, [&](Rank& rank, Communicator& world) {
    if (world.rank() == 0) port = ports_of(rank).open(rank.job);
    CommRef together = comm::split(world, 0, 0);
    CommRef own = comm::dup(comm::self(rank));
    if (world.rank() == 1)
      CHECK(class_of_failure([&] { comm::connect(*own, 0, port.c_str(), 20ms); }) == ErrorClass::port);
    CommRef again = comm::split(world, 0, 0);
    CommRef inter = world.rank() == 0 ? comm::accept(*own, 0, port.c_str())
                                      : comm::connect(*own, 0, (port + "\n").c_str(), 1h);
    CHECK(inter->peer_count() == 1);
    for (CommRef* comm : {&together, &own, &again, &inter}) test::free(*comm);
  });
}

TEST_CASE("a rank does not connect to itself")
{
  test::run(1, [](Rank& rank, Communicator& world) {
    const std::string port = ports_of(rank).open(rank.job);
    CHECK(class_of_failure([&] { comm::connect(world, 0, port.c_str(), 1ms); }) == ErrorClass::port);
  });
}

TEST_CASE("services")
{
  test::run(1, [](Rank& rank, Communicator&) {
    comm::Ports& ports = ports_of(rank);
    ports.publish("ocean", "a port", rank.job);
    CHECK(ports.look_up("ocean") == "a port");
    CHECK(class_of_failure([&] { ports.publish("ocean", "another", rank.job); }) == ErrorClass::service);
    CHECK(class_of_failure([&] { ports.look_up("land"); }) == ErrorClass::name);
    ports.unpublish("ocean");
    CHECK(class_of_failure([&] { ports.unpublish("ocean"); }) == ErrorClass::service);
  });
}

TEST_CASE("what a job has opened and published goes with it")
{
  test::run(1, [](Rank& rank, Communicator& world) {
    comm::Ports& ports = ports_of(rank);
    const Job other(1, {});
    const std::string gone = ports.open(other);
    const std::string stays = ports.open(rank.job);
    ports.publish("theirs", gone, other);
    ports.publish("ours", stays, rank.job);
    ports.forget(other);
    CHECK(class_of_failure([&] { ports.look_up("theirs"); }) == ErrorClass::name);
    CHECK(class_of_failure([&] { comm::accept(world, 0, gone.c_str()); }) == ErrorClass::port);
    CHECK(ports.look_up("ours") == stays);
    ports.close(stays);
  });
}

TEST_CASE("the ends of a socket join, again and again, and the socket is as it was")
{
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  test::run(2, [&](Rank& rank, Communicator& world) {
    const int mine = ends[world.rank()];
    for (int turn = 0; turn < 10; ++turn) {
      CommRef inter = comm::join(rank, mine);
      REQUIRE(inter);
      CHECK(inter->peer(0).world_rank == 1 - world.rank());
      test::free(inter);
    }
    char byte = 'x';
    if (world.rank() == 0) CHECK(::write(mine, &byte, 1) == 1);
    if (world.rank() == 1) CHECK((::read(mine, &byte, 1) == 1 && byte == 'x'));
  });
  ::close(ends[1]);
  test::run(1, [&](Rank& rank, Communicator&) {
    CHECK(class_of_failure([&] { comm::join(rank, ends[0]); }) == ErrorClass::arg);
  });
  ::close(ends[0]);
}

TEST_CASE("a socket to another job joins nobody")
{
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  std::thread other(
      [&] { test::run(1, [&](Rank& rank, Communicator&) { CHECK_FALSE(comm::join(rank, ends[0])); }); });
  test::run(1, [&](Rank& rank, Communicator&) { CHECK_FALSE(comm::join(rank, ends[1])); });
  other.join();
  for (const int end : ends) ::close(end);
}

TEST_CASE("a cancelled job ends a rank that waits for the other end of its socket")
{
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  std::atomic<bool> stopped = false;
  const auto body = [&](Rank& rank, Communicator& world) {
    if (world.rank() == 0) {
      // Its greeting has come, so the other one is inside, and stays: nobody answers.
      char byte;
      CHECK(::recv(ends[1], &byte, 1, 0) == 1);
      throw std::runtime_error("rank 0 fails");
    }
    try {
      comm::join(rank, ends[0]);
    } catch (const JobCancelled&) {
      stopped = true;
      throw;
    }
  };
  CHECK_THROWS_WITH(test::run(2, body), "rank 0 fails");
  CHECK(stopped);
  for (const int end : ends) ::close(end);
}

TEST_CASE("a socket that does not block joins, too")
{
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  test::run(2, [&](Rank& rank, Communicator& world) {
    CommRef inter = comm::join(rank, ends[world.rank()]);
    REQUIRE(inter);
    test::free(inter);
  });
  for (const int end : ends) ::close(end);
}
