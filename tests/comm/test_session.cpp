#include <doctest/doctest.h>

#include <algorithm>

#include "comm/harness.hpp"
#include "terms/error.hpp"

using namespace ranklet;

namespace {

std::vector<Place> one_per_core(const Topology& machine, int ranks)
{
  std::vector<Place> places;
  for (int i = 0; i < ranks; ++i)
    places.push_back(find_place(machine, machine.objects(Level::core)[static_cast<std::size_t>(i)]));
  return places;
}

}  // namespace

TEST_CASE("process sets: the world, the rank, and those of the machine's objects")
{
  const Topology machine("package:2 numa:1 l3:1 core:2 pu:1");
  test::run(
      4,
      [](Rank& self, Communicator&) {
        const Session session(self, nullptr);
        const int socket = self.world_rank / 2;
        const std::vector<std::string> expected = {
            "mpi://WORLD",
            "mpi://SELF",
            "ranklet://socket/" + std::to_string(socket),
            "ranklet://numa/" + std::to_string(socket),
            "ranklet://l3cache/" + std::to_string(socket),
            "ranklet://core/" + std::to_string(self.world_rank),
        };
        CHECK(session.process_sets() == expected);
        CHECK(session.group("mpi://WORLD")->size() == 4);
        CHECK(session.group("mpi://SELF")->size() == 1);
        for (const std::string& name : expected) CHECK(session.group(name)->contains(self));
        // Sets of others can be named too.
        const GroupPtr other = session.group("ranklet://numa/" + std::to_string(1 - socket));
        CHECK(other->size() == 2);
        CHECK(other->member(0).world_rank == 2 * (1 - socket));
        for (const char* name :
             {"ranklet://socket/2", "ranklet://socket/", "ranklet://socket/-1", "ranklet://socket/1x",
              "ranklet://socket", "ranklet://board/0", "mpi://", ""})
          CHECK(session.group(name) == nullptr);
      },
      one_per_core(machine, 4));
}

TEST_CASE("process sets: only two where nobody knows the machine")
{
  test::run(2, [](Rank& self, Communicator&) {
    CHECK(Session(self, nullptr).process_sets().size() == 2);
    CHECK(Session(self, nullptr).group("ranklet://numa/0") == nullptr);
  });
}

TEST_CASE("sessions: the wanted thread level, and what can be asked")
{
  test::run(1, [](Rank& self, Communicator&) {
    CHECK(Session(self, nullptr).thread_level() == ThreadLevel::multiple);
    Info wanted;
    wanted.set("thread_level", "MPI_THREAD_FUNNELED");
    const Session session(self, &wanted);
    CHECK(session.thread_level() == ThreadLevel::funneled);
    CHECK(*session.info().find("thread_level") == "MPI_THREAD_FUNNELED");
    CHECK(*session.info().find("mpi_memory_alloc_kinds") == "mpi,system");
    wanted.set("thread_level", "whatever");
    CHECK(Session(self, &wanted).thread_level() == ThreadLevel::multiple);
  });
}

TEST_CASE("create_from_group: creations with different tags interleave; equal ones follow each other")
{
  test::run(4, [](Rank& self, Communicator& world) {
    std::vector<std::uint32_t> contexts[2];
    for (int i = 0; i < 50; ++i) {
      // Even ranks begin with one tag, odd ones with the other.
      for (const int which : {self.world_rank % 2, 1 - self.world_rank % 2}) {
        const CommRef made = comm::create_from_group(self, world.group(), which ? "one" : "zero");
        CHECK(made->size() == 4);
        contexts[which].push_back(made->context());
      }
    }
    const CommRef pair = comm::create_from_group(
        self, include(*world.group(), std::vector<int>{self.world_rank & ~1, self.world_rank | 1}), "zero");
    CHECK(pair->size() == 2);
    // All members have the same contexts, and no two are equal.
    struct Seen {
      std::vector<std::uint32_t>* contexts;
    } mine{contexts};
    Board& board = world.shared().board();
    board.post(world.rank(), &mine);
    const auto* first = static_cast<const Seen*>(board.item(self, world.rank(), 0));
    CHECK(first->contexts[0] == contexts[0]);
    CHECK(first->contexts[1] == contexts[1]);
    board.close(world.rank());
    board.await_closed(self, world.rank());
    contexts[0].insert(contexts[0].end(), contexts[1].begin(), contexts[1].end());
    std::sort(contexts[0].begin(), contexts[0].end());
    CHECK(std::adjacent_find(contexts[0].begin(), contexts[0].end()) == contexts[0].end());
    CHECK_FALSE(static_cast<bool>(comm::create_from_group(self, Group::empty(), "none")));
  });
}

TEST_CASE("intercomm_create_from_groups: both sides see each other; errors reach all members")
{
  test::run(5, [](Rank& self, Communicator& world) {
    const std::vector<int> low = {0, 1}, high = {4, 3, 2};
    const bool is_low = self.world_rank < 2;
    const GroupPtr mine = include(*world.group(), is_low ? low : high);
    const GroupPtr theirs = include(*world.group(), is_low ? high : low);
    for (int i = 0; i < 20; ++i) {
      const bool leads = mine->rank_of(self) == 1;
      const CommRef inter = comm::intercomm_create_from_groups(self, mine, 1, leads ? &theirs : nullptr,
                                                               leads ? 1 : -7, "both");
      CHECK(inter->is_inter());
      CHECK(inter->size() == mine->size());
      CHECK(inter->peer_count() == theirs->size());
      CHECK(&inter->peer(0) == &theirs->member(0));
    }
    const auto outcome = [&](int leader, const GroupPtr* remote, int remote_leader) {
      try {
        comm::intercomm_create_from_groups(self, mine, leader, remote, remote_leader, "wrong");
      } catch (const Error& error) {
        return error.error_class();
      }
      return ErrorClass::success;
    };
    CHECK(outcome(0, nullptr, 0) == ErrorClass::group);
    CHECK(outcome(0, &theirs, 9) == ErrorClass::rank);
    CHECK(outcome(9, &theirs, 0) == ErrorClass::rank);
    CHECK(outcome(0, &mine, 1) == ErrorClass::group);
  });
}

TEST_CASE("hints: known keys with true or false; none are copied")
{
  test::run(1, [](Rank&, Communicator& world) {
    Info info;
    info.set("mpi_assert_no_any_tag", "true");
    info.set("mpi_assert_exact_length", "yes");
    info.set("something_else", "true");
    const CommRef comm = comm::dup(world);
    comm->hints.set(info);
    CHECK(comm->hints.no_any_tag);
    CHECK_FALSE(comm->hints.exact_length);
    CHECK(comm->hints.info().size() == 5);
    CHECK(*comm->hints.info().find("mpi_assert_no_any_tag") == "true");
    CHECK_FALSE(comm::dup(*comm)->hints.no_any_tag);
    info.set("mpi_assert_no_any_tag", "false");
    comm->hints.set(info);
    CHECK_FALSE(comm->hints.no_any_tag);
  });
}
