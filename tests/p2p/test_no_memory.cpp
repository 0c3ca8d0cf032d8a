// Messages of types that are nested so deeply that copying them needs memory, where memory ends: their calls
// fail, nothing else does.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "p2p/starting.hpp"
#include "p2p/world.hpp"
#include "support/allocations.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using test::complete;
using test::int_type;
using test::on_ranks;

namespace {

constexpr int type_levels = 14;
constexpr std::size_t type_ints = std::size_t{1} << type_levels;

// type_ints ints; each level has a gap of its own, so that none can be merged.
Ref<Datatype> deep_type()
{
  Ref<Datatype> type(int_type());
  for (int level = 0; level < type_levels; ++level)
    type = create_hvector(2, 1, type->extent() + 4 * (level + 1), *type);
  return type;
}

}  // namespace

TEST_CASE("a message that cannot be unpacked fails its receive, and the next one comes")
{
  // From memory of its own, from the send buffer, and so by two threads, which needs cores for them.
  struct {
    Mode mode;
    int cores;
  } const ways[] = {{Mode::standard, 1}, {Mode::synchronous, 1}, {Mode::synchronous, 2}};
  const Ref<Datatype> type = deep_type();
  for (const auto& way : ways) {
    on_ranks(
        2,
        [&](Communicator& world) {
          std::vector<int> data(type_ints);
          std::iota(data.begin(), data.end(), 1);
          if (world.rank() == 0) {
            for (int i = 0; i < 2; ++i)
              send(world, way.mode, data.data(), static_cast<Count>(type_ints), int_type(), 1, 5);
            return;
          }
          std::vector<int> place(static_cast<std::size_t>(type->extent() / 4));
          Request& request = receive_init(world, place.data(), 1, *type, 0, 5);
          probe(world, 0, 5);
          test::allocations_left = 0;
          request.start();
          test::allocations_left = -1;
          Status status;
          const auto expect_data = [&] {
            std::vector<int> packed(type_ints);
            pack(place.data(), 1, *type, 0, packed.data(), static_cast<Count>(4 * type_ints));
            CHECK(packed == data);
          };
          const ErrorClass first = complete(world, request, &status);
          // A sender with a core of its own may find the receive before its owner does, and has memory.
          if (way.cores > 1 && first == ErrorClass::success)
            expect_data();
          else
            CHECK(first == ErrorClass::no_mem);
          std::fill(place.begin(), place.end(), 0);
          request.start();
          CHECK(complete(world, request, &status) == ErrorClass::success);
          expect_data();
          request.release();
        },
        way.cores, ThreadLevel::single, 4 * type_ints);
  }
}

TEST_CASE("a receive that cannot be posted leaves nothing behind")
{
  // One core: no line of new receives, so that it moves the message before it, which takes memory.
  on_ranks(
      2,
      [&](Communicator& world) {
        int other = 8, wanted = 9;
        if (world.rank() == 0) {
          send(world, Mode::standard, &other, 1, int_type(), 1, 8);
          send(world, Mode::standard, &wanted, 1, int_type(), 1, 9);
          return;
        }
        int got = 0;
        Request& earlier = ireceive(world, &got, 1, int_type(), proc_null, 9);
        earlier.release();
        while (!has_mail(world.self())) memmodel::Native::yield();
        struct {
          Request* request = nullptr;
          bool taken_back = false;
          void operator()(Request& made, const Section&) { request = &made; }
          void take_back() { taken_back = true; }
        } place;
        test::allocations_left = 0;
        CHECK_THROWS_AS(start_receive(world, &got, 1, int_type(), 0, 9, place), std::bad_alloc);
        test::allocations_left = -1;
        CHECK(place.request == &earlier);
        CHECK(place.taken_back);
        Request& request = ireceive(world, &got, 1, int_type(), 0, 9);
        CHECK(&request == &earlier);
        CHECK(complete(world, request) == ErrorClass::success);
        CHECK(got == 9);
        request.release();
        receive(world, &got, 1, int_type(), 0, 8, nullptr);
        CHECK(got == 8);
      },
      1);
}

TEST_CASE("a request that cannot be handed out stays in the stock")
{
  on_ranks(1, [&](Communicator& world) {
    struct {
      void operator()(Request&, const Section&) { throw Error(ErrorClass::other, "no handle"); }
      void take_back() { FAIL("it was not posted"); }
    } nowhere;
    int sent = 7, got = 0;
    Request* last = nullptr;
    for (int i = 0; i < 3; ++i) {
      CHECK_THROWS_AS(start_receive(world, &got, 1, int_type(), 0, 1, nowhere), Error);
      Request& request = receive_init(world, &got, 1, int_type(), 0, 1);
      CHECK_FALSE(request.active());
      CHECK((!last || last == &request));
      last = &request;
      request.release();
    }
    Request& request = ireceive(world, &got, 1, int_type(), 0, 1);
    send(world, Mode::standard, &sent, 1, int_type(), 0, 1);
    CHECK(complete(world, request) == ErrorClass::success);
    CHECK(got == 7);
    request.release();
  });
}

TEST_CASE("a message that cannot be packed is not sent")
{
  const Ref<Datatype> type = deep_type();
  on_ranks(
      2,
      [&](Communicator& world) {
        std::vector<int> place(static_cast<std::size_t>(type->extent() / 4), 7);
        if (world.rank() == 0) {
          CHECK(test::with_little_memory([&] { send(world, Mode::standard, place.data(), 1, *type, 1, 5); }) >
                0);
          send(world, Mode::standard, place.data(), 1, int_type(), 1, 6);
          return;
        }
        std::vector<int> got(type_ints);
        Status status;
        receive(world, got.data(), static_cast<Count>(type_ints), int_type(), 0, 5, &status);
        CHECK(got == std::vector<int>(type_ints, 7));
        receive(world, got.data(), static_cast<Count>(type_ints), int_type(), 0, any_tag, &status);
        CHECK(status.tag == 6);
      },
      2, ThreadLevel::single, 4 * type_ints);
}
