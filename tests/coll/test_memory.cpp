// What a communicator of many members takes, as docs/limits.md says.
#include "coll/random_case.hpp"
#include "support/allocations.hpp"

using namespace ranklet;

TEST_CASE("a communicator: at most 256 bytes for each member, and 1 KiB after its first collective")
{
  constexpr int ranks = 32, count = 16;
  std::int64_t bytes[3] = {};
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
    for (CommRef& comm : comms) test::free(comm);
  });
  const std::int64_t made = (bytes[1] - bytes[0]) / (ranks * count);
  const std::int64_t used = (bytes[2] - bytes[0]) / (ranks * count);
  CAPTURE(made);
  CAPTURE(used);
  CHECK(made > 0);
  CHECK(made <= 256);
  CHECK(used > made);
  CHECK(used <= 1024);
}
