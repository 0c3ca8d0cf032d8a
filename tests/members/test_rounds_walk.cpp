// Rounds of members in all executions: barriers and small reductions whose members come early and late,
// boards, and what each of their orders is needed for.
#include <array>

#include "members/board.hpp"
#include "members/rounds.hpp"
#include "memmodel/walks.hpp"

namespace rounds_walk {

using namespace ranklet::explore;
using ranklet::members::Board;

namespace {

struct Cell {
  ranklet::memmodel::Sequence<Explored> turn;
  Explored::data<int> operand;
};

template <std::uint64_t depth>
using Rounds = ranklet::members::Rounds<Cell, depth, Explored>;

// Locations of each member's Rounds<2>, in order of construction. Round 1 is in the second cell.
enum Location { second_turn = 1, phase = 2, done = 3, locations = 6 };

// Faults that a test plants, in place of what src/coll/round.cpp does.
enum class Fault {
  none,
  posts_before_it_fills,
  takes_all_for_done,
  does_not_wait_for_room,
  finishes_early,
  sleeps_elsewhere
};

template <std::uint64_t depth>
struct Members {
  std::array<Rounds<depth>, 3> of;
  Rounds<depth>& at(int member) { return of[static_cast<std::size_t>(member)]; }
};

// What a coll::Round does for its member.
template <std::uint64_t depth>
struct Member {
  Members<depth>& all;
  int me, members;
  std::uint64_t number = 0;
  std::uint64_t all_done = 0;

  template <class Await>
  void post(int operand, Fault fault, Await&& await)
  {
    ++number;
    Rounds<depth>& mine = all.at(me);
    if (!mine.cells.may_fill(number, all_done) && fault != Fault::does_not_wait_for_room)
      all_done = ranklet::members::await_room(
          number, number - depth, members, me, [&](int i) -> Rounds<depth>& { return all.at(i); }, await);
    if (fault == Fault::posts_before_it_fills) mine.publish(number);
    mine.cells.mine(number).operand.set(operand);
    if (fault != Fault::posts_before_it_fills) mine.publish(number);
    mine.cells.take_back(number + 1, all_done);
  }
  template <class Await>
  int read(int member, Fault fault, Await&& await)
  {
    Rounds<depth>& other = all.at(member);
    await(other.parking(fault == Fault::sleeps_elsewhere ? number + 1 : number),
          [&] { return other.cells.hold(number); });
    return other.cells.of(number).operand.get();
  }
};

// each_round(member, round) for each member.
template <std::uint64_t depth, class EachRound>
auto in_rounds(int members, int rounds, EachRound each_round)
{
  return [=](Scenario& scenario) {
    auto s = std::make_shared<Members<depth>>();
    for (int me = 0; me < members; ++me)
      scenario.thread([=] {
        Member<depth> member{*s, me, members};
        for (int round = 1; round <= rounds; ++round) each_round(member, round);
      });
  };
}

// Everybody looks at all cells: an allreduce, and a barrier too.
template <std::uint64_t depth = 2, class Await>
auto allreduce(int members, int rounds, Fault fault, Await await)
{
  return in_rounds<depth>(members, rounds, [=](auto& member, int round) {
    auto& mine = member.all.at(member.me);
    member.post(10 * round + member.me, fault, await);
    if (fault == Fault::finishes_early) mine.finish(member.number);
    int sum = 0;
    ranklet::members::each_from(member.me, members, [&](int i) { sum += member.read(i, fault, await); });
    member.all_done = member.number - (fault == Fault::takes_all_for_done ? 0 : 1);
    mine.finish(member.number);
    Explored::check(sum == members * 10 * round + members * (members - 1) / 2, "a wrong sum");
  });
}

// Member 0 sends to all, who read when they like: it may be rounds ahead, until its cells are used up.
template <std::uint64_t depth = 2, class Await>
auto broadcasts(int members, int rounds, Fault fault, Await await)
{
  return [=](Scenario& scenario) {
    auto s = std::make_shared<Members<depth>>();
    scenario.thread([=] {
      Member<depth> root{*s, 0, members};
      for (int round = 1; round <= rounds; ++round) {
        root.post(10 * round, fault, await);
        s->at(0).finish(root.number);
      }
    });
    for (int me = 1; me < members; ++me)
      scenario.thread([=] {
        Member<depth> member{*s, me, members};
        for (int round = 1; round <= rounds; ++round) {
          ++member.number;
          if (fault == Fault::finishes_early) s->at(me).finish(member.number);
          Explored::check(member.read(0, fault, await) == 10 * round, "another round's data");
          s->at(me).finish(member.number);
        }
      });
  };
}

// Another member in each round takes what the others show, and shows nothing itself.
template <std::uint64_t depth = 2, class Await>
auto reductions(int members, int rounds, Fault fault, Await await)
{
  return in_rounds<depth>(members, rounds, [=](auto& member, int round) {
    const int me = member.me;
    if (round % members != me) {
      member.post(10 * round + me, fault, await);
      return member.all.at(me).finish(member.number);
    }
    ++member.number;
    int sum = 0;
    for (int i = 0; i < members; ++i)
      if (i != me) sum += member.read(i, fault, await);
    member.all_done = member.number - 1;
    member.all.at(me).finish(member.number);
    Explored::check(sum == (members - 1) * 10 * round + members * (members - 1) / 2 - me, "a wrong sum");
  });
}

// A slice of a result that another member makes is read after its phase; it is used again when all are done.
void phases(Scenario& scenario)
{
  struct State {
    Members<2> members;
    Explored::data<int> result;
  };
  auto s = std::make_shared<State>();
  scenario.thread([=] {
    Rounds<2>& mine = s->members.at(0);
    s->result.set(7);
    mine.reach(1, 3);
    mine.finish(1);
    Rounds<2>& other = s->members.at(1);
    sleeping(other.parking(1), [&] { return other.is_done_with(1); });
    s->result.set(8);
  });
  scenario.thread([=] {
    Rounds<2>& other = s->members.at(0);
    sleeping(other.parking(1), [&] { return other.has_reached(1, 3); });
    Explored::check(s->result.get() == 7, "no result");
    s->members.at(1).finish(1);
  });
}

// A member has failed in round 1, and its buffer is its own again when those are done who have come by then.
// The others come late, or not at all.
template <class Await>
auto withdrawal(int members, Await await)
{
  return [=](Scenario& scenario) {
    struct State {
      Members<2> members;
      std::array<ranklet::memmodel::Sequence<Explored>, 3> noted;
      Explored::data<int> buffer;
    };
    auto s = std::make_shared<State>();
    scenario.thread([=] {
      Rounds<2>& mine = s->members.at(0);
      s->buffer.set(7);
      mine.publish(1);
      mine.finish(1);
      mine.withdraw(1, mine.cells);
      for (int i = 1; i < members; ++i)
        if (s->noted[static_cast<std::size_t>(i)].value() >= 1) {
          Rounds<2>& other = s->members.at(i);
          await(other.parking(1), [&] { return other.is_done_with(1); });
        }
      s->buffer.set(8);
    });
    for (int me = 1; me < members; ++me)
      scenario.thread([=] {
        Rounds<2>& other = s->members.at(0);
        s->noted[static_cast<std::size_t>(me)].publish(1);
        s->members.at(me).enter();
        await(other.parking(1), [&] { return other.cells.hold(1) || other.is_done_with(1); });
        if (other.cells.hold(1)) Explored::check(s->buffer.get() == 7, "not what was shown");
        s->members.at(me).finish(1);
      });
  };
}

// As for comm::confer(): all show, member 0 decides, all take, and what was shown goes out of use. Locations
// of a member: turn, closed, those who wait for it.
template <class Await>
auto confer(int members, Await await)
{
  return [=](Scenario& scenario) {
    struct State {
      explicit State(int in_members) : board(in_members) {}
      Board<int, Explored> board;  // items are numbers of data
      std::array<Explored::data<int>, 3> shown;
      Explored::data<int> decision;
    };
    auto s = std::make_shared<State>(members);
    for (int me = 0; me < members; ++me)
      scenario.thread([=] {
        auto& board = s->board;
        const auto shown = [&](int i) -> auto&
        {
          return s->shown[static_cast<std::size_t>(i)];
        };
        shown(me).set(me + 1);
        board.post(me, me);
        if (me == 0) {
          int sum = 0;
          for (int i = 0; i < members; ++i) sum += shown(board.item(0, i, await)).get();
          board.close(0);
          s->decision.set(sum);
          board.post(0, 0);
        } else {
          board.close(me);
          board.next_item(me, 0, await);
          Explored::check(s->decision.get() == members * (members + 1) / 2, "a wrong decision");
          board.post(me, 0);
        }
        board.close(me);
        // The decision goes out of use when all have read it; what a member has shown, with it.
        if (me == 0) {
          board.await_closed(0, await);
          s->decision.set(0);
        }
        shown(me).set(0);
      });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("rounds: barriers and reductions of two and three members, who come early and late")
{
  expect_correct("allreduce, 2 members, 3 rounds", {}, allreduce(2, 3, Fault::none, spinning),
                 {Memory::interleaved, Memory::store_buffers});
  Options options;
  options.stale_reads = 1;
  expect_correct("allreduce, 2 members, 2 rounds", options, allreduce(2, 2, Fault::none, spinning),
                 {Memory::views});
  expect_correct("allreduce, 3 members, 1 round", {}, allreduce(3, 1, Fault::none, spinning),
                 {Memory::interleaved});
  expect_correct("allreduce in 1 cell, 2 members, 3 rounds", {}, allreduce<1>(2, 3, Fault::none, spinning),
                 {Memory::interleaved});
  expect_correct("allreduce in 1 cell, 2 members, 2 rounds", {}, allreduce<1>(2, 2, Fault::none, spinning),
                 {Memory::store_buffers});
  expect_correct("allreduce asleep, 2 members, 1 round", {}, allreduce(2, 1, Fault::none, sleeping),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("broadcasts, 1 late member", {}, broadcasts(2, 4, Fault::none, spinning));
  expect_correct("broadcasts, 2 late members", {}, broadcasts(3, 3, Fault::none, spinning),
                 {Memory::interleaved});
  expect_correct("broadcasts in 1 cell, 2 late members", {}, broadcasts<1>(3, 2, Fault::none, spinning),
                 {Memory::store_buffers});
  expect_correct("broadcasts asleep, 1 late member", {}, broadcasts(2, 3, Fault::none, sleeping),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("reductions, 2 members, 4 rounds", {}, reductions(2, 4, Fault::none, spinning));
  expect_correct("reductions, 3 members, 3 rounds", {}, reductions(3, 3, Fault::none, spinning),
                 {Memory::interleaved});
  expect_correct("reductions in 1 cell, 2 members, 4 rounds", {}, reductions<1>(2, 4, Fault::none, spinning),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("reductions asleep, 2 members, 2 rounds", {}, reductions(2, 2, Fault::none, sleeping),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("phases", {}, phases);
  expect_correct("withdrawal, 1 late member", {}, withdrawal(2, sleeping));
  expect_correct("withdrawal, 2 late members", {}, withdrawal(3, spinning), {Memory::interleaved});
}

TEST_CASE("rounds: who looks at all members begins at its own place, or at any, and looks once")
{
  for (int members = 0; members <= 3; ++members)
    for (int first = 0; first <= 4; ++first) {
      std::vector<int> seen;
      ranklet::members::each_from(first, members, [&](int i) { seen.push_back(i); });
      const std::array<int, 3> all{0, 1, 2};
      CHECK(std::is_permutation(seen.begin(), seen.end(), all.begin(), all.begin() + members));
      if (first < members) CHECK(seen.front() == first);
    }
}

TEST_CASE("rounds: a planted fault is found")
{
  expect_failure("allreduce, posts before it fills", {},
                 allreduce(2, 1, Fault::posts_before_it_fills, spinning), "a wrong sum");
  expect_failure("allreduce, takes all for done", {}, allreduce<1>(2, 2, Fault::takes_all_for_done, spinning),
                 "");
  expect_failure("reductions, no wait for room", {},
                 reductions<1>(3, 2, Fault::does_not_wait_for_room, spinning), "");
  expect_failure("broadcasts, no wait for room", {},
                 broadcasts(2, 3, Fault::does_not_wait_for_room, spinning), "nobody can go on");
  expect_failure("broadcasts, done before it has read", {}, broadcasts(2, 3, Fault::finishes_early, spinning),
                 "nobody can go on");
  const auto relaxed = [](const char* what, Access access, int location, auto setup) {
    expect_failure(std::string("rounds, relaxed ") + what, relaxed_at({}, access, location), setup,
                   "data race");
  };
  relaxed("turn store", Access::store, second_turn, allreduce(2, 1, Fault::none, spinning));
  relaxed("turn load", Access::load, second_turn, allreduce(2, 1, Fault::none, spinning));
  relaxed("done store", Access::store, locations + done, broadcasts(2, 3, Fault::none, spinning));
  relaxed("done load", Access::load, locations + done, broadcasts(2, 3, Fault::none, spinning));
  relaxed("phase store", Access::store, phase, phases);
  relaxed("phase load", Access::load, phase, phases);
  Options options;
  options.memory = Memory::store_buffers;
  options.heavy_fences = false;
  expect_failure("broadcasts, asleep where another round wakes", {},
                 broadcasts(2, 1, Fault::sleeps_elsewhere, sleeping), "nobody can go on");
  expect_failure("withdrawal without heavy fence", options, withdrawal(2, spinning), "data race");
  expect_failure("broadcasts asleep without heavy fence", options, broadcasts(2, 3, Fault::none, sleeping),
                 "nobody can go on");
}

TEST_CASE("board: what is shown is seen, and goes out of use when all have closed")
{
  expect_correct("board, 2 members confer", {}, confer(2, sleeping),
                 {Memory::interleaved, Memory::store_buffers});
  Options options;
  options.stale_reads = 1;
  expect_correct("board, 2 members confer", options, confer(2, spinning), {Memory::views});
}

TEST_CASE("board: each of its orders is needed")
{
  // Turn of member 0, turn and closed of member 1.
  for (int location : {0, 3, 4})
    for (Access access : {Access::store, Access::load})
      expect_failure("board, relaxed " + std::to_string(location), relaxed_at({}, access, location),
                     confer(2, spinning), "data race");
}

TEST_SUITE_END();

}  // namespace rounds_walk
