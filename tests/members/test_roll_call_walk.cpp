// Members that arrive, the last of whom makes a result for all, in all executions.
#include <array>

#include "members/roll_call.hpp"
#include "memmodel/walks.hpp"

namespace roll_call_walk {

using namespace ranklet::explore;

namespace {

enum class Fault { none, shows_late };

// So many members arrive and wait, all in one place; the last one adds what they show.
auto arriving(int members, Fault fault = Fault::none)
{
  struct State {
    std::array<Explored::data<int>, 3> shown;
    ranklet::members::RollCall<Explored::data<int>, Explored> roll_call;
  };
  return [=](Scenario& scenario) {
    auto s = std::make_shared<State>();
    for (int me = 0; me < members; ++me)
      scenario.thread([=] {
        const auto show = [&] { s->shown[static_cast<std::size_t>(me)].set(1 << me); };
        if (fault != Fault::shows_late) show();
        s->roll_call.arrive(members, [&](Explored::data<int>& result) {
          int sum = 0;
          for (int i = 0; i < members; ++i) sum += s->shown[static_cast<std::size_t>(i)].get();
          result.set(sum);
        });
        if (fault == Fault::shows_late) show();
        const auto is_complete = [&] { return s->roll_call.is_complete(); };
        Explored::await([&] {
          if (is_complete()) return true;
          s->roll_call.sleepers().park(is_complete);
          return false;
        });
        Explored::check(s->roll_call.result().get() == (1 << members) - 1, "a wrong result");
      });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("roll call: the last one sees all, and all see what it has made")
{
  expect_correct("2 members", {}, arriving(2));
  expect_correct("3 members", {}, arriving(3), {Memory::interleaved, Memory::store_buffers});
}

TEST_CASE("roll call: a planted fault is found")
{
  expect_failure("shown after the arrival", {}, arriving(2, Fault::shows_late), "data race");
  // Location 0 is the count, 1 says that all have come.
  expect_failure("roll call, relaxed count", relaxed_at({}, Access::update, 0), arriving(2), "data race");
  for (Access access : {Access::store, Access::load})
    expect_failure("roll call, relaxed end", relaxed_at({}, access, 1), arriving(2), "data race");
}

TEST_SUITE_END();

}  // namespace roll_call_walk
