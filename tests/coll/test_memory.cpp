// What a communicator of many members takes, as docs/limits.md says.
#include "coll/random_case.hpp"
#include "support/allocations.hpp"

using namespace ranklet;

TEST_CASE(
    "a communicator: at most 256 bytes for each member, 1 KiB after its first collective, and 11.3 KiB "
    "when copies were needed")
{
  constexpr int ranks = 32, count = 16;
  std::int64_t bytes[4] = {};
  test::run(ranks, [&](Rank&, Communicator& world) {
    std::vector<CommRef> comms(count);
    const auto look = [&](std::int64_t& now) {
      coll::barrier(world);
      if (world.rank() == 0) now = test::living_bytes();
      coll::barrier(world);
    };
    look(bytes[0]);
    for (CommRef& comm : comms) comm = comm::dup(world);
    look(bytes[1]);
    for (CommRef& comm : comms) {
      int sum = 1;
      coll::allreduce(*comm, coll::in_place, &sum, 1, test::int_type, test::sum_op);
      CHECK(sum == ranks);
    }
    look(bytes[2]);
    // Of every member.
    for (CommRef& comm : comms)
      for (int i = 0; i < ranks; ++i) {
        int block[256] = {i};
        coll::bcast(*comm, {block, 256, &test::int_type}, i % ranks);
        CHECK(block[0] == i);
        // Nobody runs so far ahead that it needs more cells.
        coll::barrier(*comm);
      }
    look(bytes[3]);
    for (CommRef& comm : comms) test::free(comm);
  });
  const std::int64_t made = (bytes[1] - bytes[0]) / (ranks * count);
  const std::int64_t used = (bytes[2] - bytes[0]) / (ranks * count);
  CAPTURE(made);
  const std::int64_t copied = (bytes[3] - bytes[0]) / (ranks * count);
  CAPTURE(used);
  CAPTURE(copied);
  CHECK(made > 0);
  CHECK(made <= 256);
  CHECK(used > made);
  CHECK(used <= 1024);
  CHECK(copied > used);
  CHECK(copied <= 11584);
}

TEST_CASE("nonblocking collectives one after the other take memory once")
{
  for (const int ranks : {3, 20}) {
    CAPTURE(ranks);
    std::int64_t bytes[2] = {};
    test::run(ranks, [&](Rank& self, Communicator& world) {
      std::vector<int> out(static_cast<std::size_t>(ranks));
      const auto gather_all = [&](int times) {
        for (int n = 0; n < times; ++n) {
          const int in = 100 * n + world.rank();
          Request& request = coll::iallgather(world, {&in, 1, &test::int_type},
                                              {out.data(), 1, &test::int_type}, coll::Life::once);
          test::complete(self, request);
          request.release();
          for (int i = 0; i < ranks; ++i) CHECK(out[static_cast<std::size_t>(i)] == 100 * n + i);
        }
      };
      for (std::int64_t& now : bytes) {
        gather_all(100);
        coll::barrier(world);
        if (world.rank() == 0) now = test::living_bytes();
        coll::barrier(world);
      }
    });
    // Members run ahead of each other by more in one half than in the other: a batch or two.
    CHECK(bytes[1] - bytes[0] <= 3 * ranks * 8 * 384);
  }
}
