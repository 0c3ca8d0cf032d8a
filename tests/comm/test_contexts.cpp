#include <doctest/doctest.h>

#include <algorithm>

#include "base/sanitized.hpp"
#include "comm/harness.hpp"

using namespace ranklet;

namespace {

constexpr int cycles = sanitized ? 20'000 : 1'000'000;

}  // namespace

TEST_CASE("contexts: a million communicators one after the other leave nothing behind")
{
  test::run(1, [](Rank&, Communicator& world) {
    std::uint32_t last = world.context();
    bool fresh = true;
    const std::weak_ptr<CommShared> first = comm::dup(world)->shared_part();
    CHECK(first.expired());
    for (int i = 0; i < cycles; ++i) {
      CommRef copy = comm::dup(world);
      fresh = fresh && copy->context() > last;
      last = copy->context();
      test::free(copy);
    }
    CHECK(fresh);
    CHECK(world.shared_part().use_count() <= 2);
  });
}

TEST_CASE("contexts: the same on several ranks, which run ahead of each other")
{
  test::run(4, [](Rank&, Communicator& world) {
    for (int i = 0; i < cycles / 20; ++i) {
      CommRef copy = comm::dup(world);
      test::free(copy);
    }
  });
}

TEST_CASE("contexts: ten thousand communicators alive at once are told apart")
{
  test::run(2, [](Rank&, Communicator& world) {
    std::vector<CommRef> alive;
    std::vector<std::uint32_t> contexts;
    for (int i = 0; i < 10'000; ++i) {
      alive.push_back(comm::dup(i % 2 ? world : alive.empty() ? world : *alive.back()));
      contexts.push_back(alive.back()->context());
    }
    std::sort(contexts.begin(), contexts.end());
    CHECK(std::adjacent_find(contexts.begin(), contexts.end()) == contexts.end());
    while (!alive.empty()) {
      test::free(alive.back());
      alive.pop_back();
    }
  });
}
