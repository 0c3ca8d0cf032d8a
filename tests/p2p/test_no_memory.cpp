// Messages of types that are nested so deeply that copying them needs memory, where memory ends: their calls
// fail, nothing else does.
#include <doctest/doctest.h>

#include <numeric>

#include "p2p/world.hpp"
#include "support/allocations.hpp"

using namespace ranklet;
using namespace ranklet::p2p;
using test::complete;
using test::int_type;
using test::on_ranks;

namespace {

// 2^levels ints; each level has its own stride, so that none can be merged.
Ref<Datatype> deep_type(int levels)
{
  Ref<Datatype> type(int_type());
  for (int level = 0; level < levels; ++level) type = create_hvector(2, 1, type->extent() + 4, *type);
  return type;
}

}  // namespace

TEST_CASE("a message that cannot be unpacked fails its receive, and the next one comes")
{
  // The last one is large enough for two threads to share the copying.
  for (const int levels : {10, 12, 15}) {
    const Ref<Datatype> type = deep_type(levels);
    const Count n = Count{1} << levels;
    for (const Mode mode : {Mode::standard, Mode::synchronous}) {
      on_ranks(2, [&](Communicator& world) {
        std::vector<int> data(static_cast<std::size_t>(n));
        std::iota(data.begin(), data.end(), 1);
        if (world.rank() == 0) {
          for (int i = 0; i < 2; ++i) send(world, mode, data.data(), n, int_type(), 1, 5);
          return;
        }
        std::vector<int> place(static_cast<std::size_t>(type->extent() / 4));
        Request& request = receive_init(world, place.data(), 1, *type, 0, 5);
        probe(world, 0, 5);
        test::allocations_left = 0;
        request.start();
        test::allocations_left = -1;
        Status status;
        CHECK(complete(world, request, &status) == ErrorClass::no_mem);
        request.start();
        CHECK(complete(world, request, &status) == ErrorClass::success);
        std::vector<int> packed(static_cast<std::size_t>(n));
        pack(place.data(), 1, *type, 0, packed.data(), n * 4);
        CHECK(packed == data);
        request.release();
      });
    }
  }
}

TEST_CASE("a message that cannot be packed is not sent")
{
  const Ref<Datatype> type = deep_type(10);
  on_ranks(2, [&](Communicator& world) {
    std::vector<int> place(static_cast<std::size_t>(type->extent() / 4), 7);
    if (world.rank() == 0) {
      CHECK(test::with_little_memory([&] { send(world, Mode::standard, place.data(), 1, *type, 1, 5); }) > 0);
      send(world, Mode::standard, place.data(), 1, int_type(), 1, 6);
      return;
    }
    std::vector<int> got(1024);
    Status status;
    receive(world, got.data(), 1024, int_type(), 0, 5, &status);
    CHECK(got == std::vector<int>(1024, 7));
    receive(world, got.data(), 1024, int_type(), 0, any_tag, &status);
    CHECK(status.tag == 6);
  });
}
