// Threads that run one function after another.
#include <doctest/doctest.h>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "base/sanitized.hpp"
#include "ranks/team.hpp"

using namespace ranklet;

TEST_CASE("each member runs once, all at the same time")
{
  for (const int size : {1, 2, 7, 1, 7}) {
    std::vector<int> runs(static_cast<std::size_t>(size));
    std::atomic<int> here{0};
    {
      Team team(size, [&](int index) {
        ++runs[static_cast<std::size_t>(index)];
        here.fetch_add(1);
        while (here.load() < size) std::this_thread::yield();
      });
    }
    CHECK(runs == std::vector<int>(static_cast<std::size_t>(size), 1));
  }
}

TEST_CASE("a team's end can be awaited for some time, or any")
{
  std::atomic<bool> go{false};
  Team team(3, [&](int) {
    while (!go) std::this_thread::yield();
  });
  CHECK_FALSE(team.wait_for(std::chrono::milliseconds(0)));
  CHECK_FALSE(team.wait_for(std::chrono::milliseconds(5)));
  go = true;
  CHECK(team.wait_for(std::chrono::milliseconds::max()));
}

TEST_CASE("threads are kept for the next team")
{
  std::vector<std::thread::id> first(4), second(4);
  {
    Team team(4, [&](int index) { first[static_cast<std::size_t>(index)] = std::this_thread::get_id(); });
  }
  {
    Team team(4, [&](int index) { second[static_cast<std::size_t>(index)] = std::this_thread::get_id(); });
  }
  for (const std::thread::id& id : second) CHECK(std::ranges::find(first, id) != first.end());
}

TEST_CASE("more threads than are kept, and several teams at once")
{
  for (int round = 0; round < 2; ++round) {
    std::atomic<int> runs{0};
    {
      Team large(300, [&](int) { runs.fetch_add(1); });
      Team small(3, [&](int) { runs.fetch_add(1); });
    }
    CHECK(runs == 303);
  }
}

TEST_CASE("without room for all threads nothing is started, and nothing is lost" * doctest::skip(sanitized))
{
  rlimit before;
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  rlimit tight = before;
  tight.rlim_cur = rlim_t{4} << 30;  // stacks of 8 MiB for far fewer
  REQUIRE(::setrlimit(RLIMIT_AS, &tight) == 0);
  std::atomic<int> runs{0};
  CHECK_THROWS_AS(Team(2000, [&](int) { runs.fetch_add(1); }), std::system_error);
  CHECK(runs == 0);
  REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  {
    Team team(20, [&](int) { runs.fetch_add(1); });
  }
  CHECK(runs == 20);
}
