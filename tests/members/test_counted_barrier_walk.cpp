// Barriers that are counted, and members in different calls, in all executions.
#include <array>

#include "members/call_log.hpp"
#include "members/counted_barrier.hpp"
#include "memmodel/walks.hpp"

namespace counted_barrier_walk {

using namespace ranklet::explore;

namespace {

using Barrier = ranklet::members::CountedBarrier<2, Explored>;

// Locations: the word where members sleep, the counts of the two places, the last round that was opened.
enum Location { parking = 0, first_count = 1, second_count = 2, opened = 3 };

enum class Fault { none, opens_too_early };

auto barriers(int members, int rounds, bool asleep, Fault fault = Fault::none)
{
  return [=](Scenario& scenario) {
    struct State {
      Barrier barrier;
      std::array<Explored::data<int>, 3> written;
      Explored::data<int> sum;  // what the last one has made of it
    };
    auto s = std::make_shared<State>();
    for (int me = 0; me < members; ++me)
      scenario.thread([=] {
        for (int r = 1; r <= rounds; ++r) {
          const auto round = static_cast<std::uint64_t>(r);
          // Each writes a round's datum in turn, and all read it behind the barrier.
          const auto writer = static_cast<std::size_t>(r % members);
          if (r % members == me) s->written[writer].set(r);
          const auto is_open = [&] { return s->barrier.is_open(round); };
          if (s->barrier.arrive(round, members)) {
            if (fault == Fault::opens_too_early) s->barrier.open(round);
            s->sum.set(s->written[writer].get() + 1);
            if (fault != Fault::opens_too_early) s->barrier.open(round);
          } else if (asleep) {
            sleeping(s->barrier.parking, is_open);
          } else {
            Explored::await(is_open);
          }
          Explored::check(s->written[writer].get() == r, "a member has gone through too early");
          Explored::check(s->sum.get() == r + 1, "another round's sum");
        }
      });
  };
}

// A late comer and one that gives up: either it takes part, or the other one stays alone; and the place is as
// before for the round that uses it next.
void giving_up(Scenario& scenario)
{
  struct State {
    Barrier barrier;
    bool opened = false, gave_up = false;
  };
  auto s = std::make_shared<State>();
  scenario.thread([=] {
    if (s->barrier.arrive(1, 2)) {
      s->barrier.open(1);
      s->opened = true;
    } else {
      s->gave_up = s->barrier.withdraw(1);
    }
  });
  scenario.thread([=] {
    if (!s->barrier.arrive(1, 2)) return;
    s->barrier.open(1);
    s->opened = true;
  });
  scenario.finally([=] {
    Explored::check(s->opened || s->gave_up, "somebody has not been counted");
    // A member that has given up may come again; one that has come is still counted.
    Explored::check(!s->opened || s->barrier.is_open(1), "it was not opened");
    if (!s->opened) Explored::check(s->barrier.arrive(1, 2), "one who waits is not counted");
  });
}

// What member 0 calls: operation 1, round 1, operation 2, round 2; the words of the calls.
constexpr unsigned bits = 8;
constexpr std::uint32_t op1 = 1, blocking = 2, op2 = 3;
using Log = ranklet::members::CallLog<2, bits, Explored>;

// Locations: the calls in the two places, the last round, the last operation.
enum LogLocation { calls = 0, rounds = 2, operations = 3 };

// Member 0 makes its calls; another one, which waits for it in one of them, looks at any time. It comes to
// the right calls, so nothing that is seen may be taken for a mistake unless it has come meanwhile.
auto correct_calls(bool waits_in_round)
{
  return [=](Scenario& scenario) {
    struct State {
      Log log;
      ranklet::memmodel::Sequence<Explored> in_round, in_operation;  // member 0 has come there
    };
    auto s = std::make_shared<State>();
    scenario.thread([=] {
      s->log.note_operation(1, op1);
      s->log.note_round(1, blocking);
      s->in_round.publish(1);
      s->log.note_operation(2, op2);
      s->in_operation.publish(1);
      s->log.note_round(2, blocking);
    });
    scenario.thread([=] {
      if (waits_in_round) {
        // It has called operation 1, too.
        if (s->log.is_elsewhere(1, 1, blocking))
          Explored::check(s->in_round.value() == 1, "taken for one in another call");
      } else if (s->log.call_instead(2, 1, op2, false) != 0) {
        Explored::check(s->in_operation.value() == 1, "taken for one in another call");
      }
    });
  };
}

// Member 0 goes on with another call than that in which the other one waits, which notices.
auto wrong_calls(bool waits_in_round)
{
  return [=](Scenario& scenario) {
    auto s = std::make_shared<Log>();
    scenario.thread([=] {
      if (waits_in_round) {
        s->note_operation(1, op1);
      } else {
        s->note_round(1, blocking);
      }
    });
    scenario.thread([=] {
      Explored::await([&] {
        return waits_in_round ? s->is_elsewhere(1, 0, blocking)
                              : s->call_instead(1, 0, op1, false) == blocking;
      });
    });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("counted barrier: nobody goes through before all have come")
{
  expect_correct("barrier, 2 members, 3 rounds", {}, barriers(2, 3, false),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("barrier, 2 members, 2 rounds", {}, barriers(2, 2, false));
  expect_correct("barrier, 3 members, 2 rounds", {}, barriers(3, 2, false), {Memory::interleaved});
  expect_correct("barrier asleep, 2 members, 2 rounds", {}, barriers(2, 2, true),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("barrier asleep, 3 members, 1 round", {}, barriers(3, 1, true), {Memory::interleaved});
  expect_correct("barrier, one gives up", {}, giving_up);
}

TEST_CASE("counted barrier: a planted fault is found")
{
  expect_failure("barrier, relaxed counting", relaxed_at({}, Access::update, second_count),
                 barriers(2, 1, false), "data race");
  expect_failure("barrier, opened before the sum is there", {}, barriers(2, 1, false, Fault::opens_too_early),
                 "another round's sum");
  expect_failure("barrier, relaxed opening", relaxed_at({}, Access::store, opened), barriers(2, 1, false),
                 "data race");
  expect_failure("barrier, relaxed look", relaxed_at({}, Access::load, opened), barriers(2, 1, false),
                 "data race");
  Options options;
  options.memory = Memory::store_buffers;
  options.heavy_fences = false;
  expect_failure("barrier asleep without heavy fence", options, barriers(2, 1, true), "nobody can go on");
}

TEST_CASE("call log: members of a correct program are not taken for being in other calls")
{
  for (bool waits_in_round : {true, false}) {
    const std::string where = waits_in_round ? " round" : " nonblocking one";
    expect_correct("waiting in a" + where, {}, correct_calls(waits_in_round));
    expect_correct("another call than the" + where, {}, wrong_calls(waits_in_round));
  }
}

TEST_CASE("call log: the order of the looks is needed")
{
  // With a relaxed look at the later number, or a relaxed note of it, the earlier one may be older.
  Options options;
  options.memory = Memory::views;
  options.stale_reads = 3;
  for (Access access : {Access::load, Access::store}) {
    expect_failure("waiting in a round, relaxed operations", relaxed_at(options, access, operations),
                   correct_calls(true), "taken for");
    // Either of the two is enough.
    expect_failure("waiting in an operation, relaxed rounds", relaxed_at(options, access, {calls, rounds}),
                   correct_calls(false), "taken for");
  }
}

TEST_SUITE_END();

}  // namespace counted_barrier_walk
