#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "comm/children.hpp"
#include "comm/harness.hpp"

using namespace ranklet;

namespace {

ErrorClass class_of_choice(const char* soft, int most)
{
  try {
    comm::choose_from_soft(soft, most);
  } catch (const Error& error) {
    return error.error_class();
  }
  return ErrorClass::success;
}

}  // namespace

TEST_CASE("soft: the largest number of the set that is not above maxprocs")
{
  CHECK(comm::choose_from_soft("4", 4) == 4);
  CHECK(comm::choose_from_soft("0:100", 7) == 7);
  CHECK(comm::choose_from_soft("0:100:2", 7) == 6);
  CHECK(comm::choose_from_soft("1:100:2", 7) == 7);
  CHECK(comm::choose_from_soft("2, 3, 5, 7, 11", 10) == 7);
  CHECK(comm::choose_from_soft("100:1:-3", 9) == 7);
  CHECK(comm::choose_from_soft("100:99:-3,2:3", 9) == 3);
  CHECK(comm::choose_from_soft("5:4,1", 9) == 1);
  CHECK(comm::choose_from_soft("0:2147483647", 5) == 5);
  // Against the definition, for all small rows.
  for (int first = -3; first <= 5; ++first)
    for (int last = -3; last <= 5; ++last)
      for (const int step : {-3, -2, -1, 1, 2, 3})
        for (int most = 0; most <= 6; ++most) {
          int wanted = -1;
          for (int i = first; step > 0 ? i <= last : i >= last; i += step)
            if (i >= 0 && i <= most) wanted = std::max(wanted, i);
          const std::string soft =
              std::to_string(first) + ":" + std::to_string(last) + ":" + std::to_string(step);
          CAPTURE(soft);
          CAPTURE(most);
          if (wanted < 0)
            CHECK(class_of_choice(soft.c_str(), most) == ErrorClass::spawn);
          else
            CHECK(comm::choose_from_soft(soft, most) == wanted);
        }
}

TEST_CASE("soft: what is no set of numbers")
{
  for (const std::string text : {"many", "1:2:0", "1:2:3:4", "1,,2", "1:x", ":2", "99999999999"}) {
    CAPTURE(text);
    CHECK(class_of_choice(text.c_str(), 4) == ErrorClass::info_value);
  }
}

TEST_CASE("a job that nobody hosts cannot start another")
{
  test::run(2, [](Rank&, Communicator& world) {
    const comm::Spawned spawned = comm::spawn(
        world, 1, [] { return test::request(2, 3); }, [](Rank&, std::size_t) {});
    REQUIRE(spawned.error);
    CHECK(spawned.error->error_class() == ErrorClass::spawn);
    REQUIRE(spawned.counts.size() == 1);
    CHECK(spawned.counts[0].asked == 3);
    CHECK(spawned.counts[0].started == 2);
  });
}

TEST_CASE("what was spawned and who has spawned it are one universe")
{
  test::Children children;
  JobOptions options;
  options.wait = WaitPolicy::automatic(3, 2);
  options.extensions = {comm::extension()};
  JobOptions same = options;
  options.start_programs = children.starter(same, [](Rank& rank) {
    CommRef all = comm::merge(*rank.comm->parent, true);
    CHECK(all->size() == 5);
    CHECK(all->rank() == 2 + rank.world_rank);
    CHECK(all->peer(0).number == 0);
    CHECK(rank.name() == "rank " + std::to_string(rank.world_rank) + " of world 2");
    CHECK(rank.number == 2 + rank.world_rank);
    test::free(all);
  });
  Job parents(2, options);
  test::run_ranks(parents, [&](Rank& rank) {
    int prepared = 0;
    comm::Spawned spawned = comm::spawn(
        comm::world(rank), 0, [] { return test::request(3, 3); },
        [&](Rank& child, std::size_t program) {
          CHECK(child.world_rank == prepared++);
          CHECK(program == 0);
        });
    REQUIRE(!spawned.error);
    CHECK(prepared == (rank.world_rank == 0 ? 3 : 0));
    CHECK(spawned.comm->peer_count() == 3);
    CommRef all = comm::merge(*spawned.comm, false);
    CHECK(all->rank() == rank.world_rank);
    CHECK(&all->peer(4) == &children.job().rank(2));
    test::free(all);
    test::free(spawned.comm);
  });
  children.end();
  // Their numbers are free again.
  same.spawner = &parents.rank(1);
  same.world = 2;
  Job others(1, same);
  CHECK(others.rank(0).number == 2);
}
