#include <doctest/doctest.h>

#include <optional>

#include "check/collectives.hpp"
#include "comm/comm.hpp"
#include "datatype/op.hpp"
#include "support/ranks.hpp"

using namespace ranklet;
using namespace ranklet::check;

namespace {

// f(comms): the world as each of the members sees it, used by one thread after the other.
void with_world(int members, const std::function<void(const std::vector<Communicator*>& comms)>& f)
{
  JobOptions options;
  options.extensions = {comm::extension()};
  Job job(members, std::move(options));
  std::vector<Communicator*> comms(static_cast<std::size_t>(members));
  test::run_ranks(job,
                  [&](Rank& rank) { comms[static_cast<std::size_t>(rank.world_rank)] = &comm::world(rank); });
  f(comms);
}

Signature of(Basic basic, Count count)
{
  return signature(count, predefined(basic));
}

CollectiveCall call(const char* name)
{
  CollectiveCall made;
  made.name = name;
  made.rule = "rule";
  return made;
}

CollectiveCall bcast(int me, int root, const Signature& data)
{
  CollectiveCall made = call("MPI_Bcast");
  made.root = root;
  (me == root ? made.gives : made.takes) = {me == root ? Portions::all : root, {data}};
  return made;
}

CollectiveCall reduce(OpKind op, const Signature& operands)
{
  CollectiveCall made = call("MPI_Reduce");
  made.root = 0;
  made.op = static_cast<int>(op);
  made.operands = operands;
  return made;
}

}  // namespace

TEST_CASE("members may come to the same calls in any order")
{
  with_world(3, [](const std::vector<Communicator*>& comms) {
    Collectives collectives;
    for (const std::size_t member : {2, 0, 1})
      for (const char* name : {"MPI_Barrier", "MPI_Allreduce", "MPI_Barrier"})
        CHECK(collectives.add(*comms[member], call(name)).empty());
  });
}

TEST_CASE("the calls of one number are compared: their names, roots, operators and operands")
{
  with_world(3, [](const std::vector<Communicator*>& comms) {
    const auto first_difference = [&](CollectiveCall one, CollectiveCall other) {
      Collectives collectives;
      CHECK(collectives.add(*comms[1], std::move(one)).empty());
      const std::vector<Mismatch> found = collectives.add(*comms[0], std::move(other));
      return found.empty() ? std::string() : found[0].what + " | " + found[0].rule;
    };
    const Signature ints = of(Basic::int_, 3);
    CHECK(first_difference(call("MPI_Barrier"), call("MPI_Ibarrier"))
              .starts_with("the members' collectives differ: MPI_Ibarrier here, MPI_Barrier"));
    CHECK(first_difference(bcast(1, 2, ints), bcast(0, 0, ints)) ==
          "the roots of MPI_Bcast differ: 0 here, 2 there | rule");
    CHECK(first_difference(reduce(OpKind::sum, ints), reduce(OpKind::max, ints)) ==
          "the operators of MPI_Reduce differ: MPI_MAX here, MPI_SUM there | rule");
    CHECK(first_difference(reduce(OpKind::sum, ints), reduce(OpKind::sum, of(Basic::int_, 4))) ==
          "the counts or types of the operands of MPI_Reduce differ: 4 basic elements here, 3 basic elements "
          "there | "
          "rule");
    CHECK(first_difference(reduce(OpKind::sum, ints), reduce(OpKind::sum, ints)).empty());
  });
}

TEST_CASE("what one member gives is what the other expects")
{
  with_world(3, [](const std::vector<Communicator*>& comms) {
    const Signature ints = of(Basic::int_, 3), floats = of(Basic::float_, 3);
    for (const bool root_first : {true, false}) {
      Collectives collectives;
      const int first = root_first ? 0 : 2, second = root_first ? 2 : 0;
      const auto data = [&](int member) { return bcast(member, 0, member == 0 ? ints : floats); };
      CHECK(collectives.add(*comms[static_cast<std::size_t>(first)], data(first)).empty());
      // Two that only take are not compared.
      CHECK(collectives.add(*comms[1], bcast(1, 0, ints)).empty());
      const auto found = collectives.add(*comms[static_cast<std::size_t>(second)], data(second));
      REQUIRE(found.size() == 1);
      CHECK(found[0].what == std::string("in MPI_Bcast this member ") + (root_first ? "expects" : "gives") +
                                 " 3 basic elements, the other one " + (root_first ? "gives" : "expects") +
                                 " 3 basic elements of other types");
    }
    // Of what is different for each peer only what concerns the two.
    Collectives collectives;
    CollectiveCall scatter = call("MPI_Scatter"), taken = scatter;
    scatter.root = taken.root = 0;
    scatter.gives = {Portions::all, {ints, floats, ints}};
    taken.takes = {0, {floats}};
    CHECK(collectives.add(*comms[0], scatter).empty());
    CHECK(collectives.add(*comms[1], taken).empty());
    CHECK(collectives.add(*comms[2], taken).size() == 1);
  });
}

TEST_CASE("after a failure the members' calls are not compared any more")
{
  with_world(2, [](const std::vector<Communicator*>& comms) {
    Collectives collectives;
    CHECK(collectives.add(*comms[0], call("MPI_Barrier")).empty());
    collectives.give_up(*comms[1], false);
    CHECK(collectives.add(*comms[1], call("MPI_Bcast")).empty());
  });
}

namespace {

// A call of rank `number` in that line.
class Recorded final : public RecordedCall {
 public:
  Recorded(int number, int line)
      : RecordedCall("rank " + std::to_string(number), number, nullptr, "at a.py:" + std::to_string(line))
  {
  }
  std::string text() const override { return "call"; }
};

CollectiveCall recorded(CollectiveCall call, int member, int line)
{
  call.call = Ref<const RecordedCall>::adopt(new Recorded(member, line));
  return call;
}

}  // namespace

TEST_CASE("one mismatch of several members is told by one of them, and all know by whom")
{
  with_world(4, [](const std::vector<Communicator*>& comms) {
    Collectives collectives;
    CHECK(collectives.add(*comms[2], recorded(call("MPI_Barrier"), 2, 1)).empty());
    CHECK(collectives.told_by(*comms[2], true).empty());
    CHECK(collectives.add(*comms[1], recorded(call("MPI_Bcast"), 1, 2)).size() == 1);
    CHECK(collectives.add(*comms[3], recorded(call("MPI_Bcast"), 3, 2)).empty());
    // Another line, so another mistake.
    CHECK(collectives.add(*comms[0], recorded(call("MPI_Bcast"), 0, 3)).size() == 1);
    for (Communicator* const comm : comms) CHECK(collectives.told_by(*comm, true) == "rank 0");
  });
}

TEST_CASE("a mismatch that was told is not the reason of later errors")
{
  with_world(2, [](const std::vector<Communicator*>& comms) {
    const auto both = [&](Collectives& collectives, const char* one, const char* other, int line) {
      return collectives.add(*comms[0], recorded(call(one), 0, line)).size() +
             collectives.add(*comms[1], recorded(call(other), 1, line)).size();
    };
    Collectives collectives;
    CHECK(both(collectives, "MPI_Gather", "MPI_Gatherv", 1) == 1);
    CHECK(both(collectives, "MPI_Barrier", "MPI_Barrier", 2) == 0);
    CHECK(collectives.told_by(*comms[0], true) == "rank 1");
    CHECK(both(collectives, "MPI_Barrier", "MPI_Barrier", 3) == 0);
    CHECK(collectives.told_by(*comms[0], true).empty());
    CHECK(collectives.told_by(*comms[0], false) == "rank 1");
    collectives.give_up(*comms[0], true);
    CHECK(collectives.told_by(*comms[1], false) == "rank 1");

    Collectives failed;
    CHECK(both(failed, "MPI_Gather", "MPI_Gatherv", 1) == 1);
    failed.give_up(*comms[0], false);
    CHECK(failed.told_by(*comms[1], true).empty());
  });
}

TEST_CASE("assertions that all must give are given by all")
{
  with_world(2, [](const std::vector<Communicator*>& comms) {
    Collectives collectives;
    CollectiveCall fence = call("MPI_Win_fence");
    CHECK(collectives.add(*comms[0], fence).empty());
    CHECK(collectives.add(*comms[1], fence).empty());
    CHECK(collectives.add(*comms[0], fence).empty());
    fence.assertions = "MPI_MODE_NOPRECEDE";
    const std::vector<Mismatch> found = collectives.add(*comms[1], fence);
    REQUIRE(found.size() == 1);
    CHECK(found[0].what == "the assertions of MPI_Win_fence differ: MPI_MODE_NOPRECEDE here, none there");
  });
}
