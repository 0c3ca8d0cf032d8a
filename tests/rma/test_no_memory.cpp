// Accumulates where memory ends.
#include <doctest/doctest.h>

#include "rma/world.hpp"
#include "support/allocations.hpp"

using namespace ranklet;
using ranklet::test::on_ranks;

TEST_CASE("an accumulate that fails for want of memory leaves the target open to others")
{
  // Nested so deeply that to walk through it needs memory; each level has a gap of its own.
  Ref<Datatype> type(predefined(Basic::int64));
  constexpr int levels = 12;
  constexpr Count n = Count{1} << levels;
  for (int level = 0; level < levels; ++level)
    type = create_hvector(2, 1, type->extent() + 8 * (level + 1), *type);
  on_ranks(2, [&](Communicator& world) {
    Window* const window = rma::allocate(world, world.rank() == 0 ? type->extent() : 0, 1, nullptr, false);
    std::vector<std::int64_t> ones(n, 1);
    rma::lock_all(*window, 0);
    CHECK(test::with_little_memory([&] {
            rma::accumulate(*window, {ones.data(), n, &predefined(Basic::int64)}, {0, 0, 1, type.get()},
                            predefined(OpKind::sum));
          }) > 0);
    std::int64_t one = 1, before = 0;
    rma::fetch_and_op(*window, &one, &before, predefined(Basic::int64), 0, 0, predefined(OpKind::sum));
    CHECK(before > 0);
    rma::unlock_all(*window);
    rma::fence(*window, rma::nosucceed);
    rma::free(*window);
  });
}
