// Fences of members in all executions: with waiting for all, or for one before it is looked at.
#include <array>

#include "members/attendance.hpp"
#include "memmodel/walks.hpp"

namespace attendance_walk {

using namespace ranklet::explore;

namespace {

enum class Fault { none, comes_before_it_stores, waits_for_the_fence_before };

struct State {
  explicit State(int members) : attendance(members) {}

  // Two members: locations 0 and 1 are their words, 2 and 3 where they sleep. Three: at the first
  // point words 2, 6 and 10.
  ranklet::members::Attendance<Explored> attendance;
  std::array<Explored::data<int>, 3> memory;
};

// Each member writes its memory, and all read it between the next two fences.
template <class Await>
auto fences(int members, int rounds, Fault fault, Await await)
{
  return [=](Scenario& scenario) {
    auto s = std::make_shared<State>(members);
    for (int me = 0; me < members; ++me)
      scenario.thread([=] {
        std::uint64_t number = 0;
        const auto memory = [&](int member) -> auto&
        {
          return s->memory[static_cast<std::size_t>(member)];
        };
        const auto fence = [&] {
          s->attendance.come(me, ++number);
          for (int i = 0; i < members; ++i)
            await(s->attendance.parking(i), [&] {
              return s->attendance.has_come(i, number - (fault == Fault::waits_for_the_fence_before));
            });
        };
        for (int round = 1; round <= rounds; ++round) {
          if (fault == Fault::comes_before_it_stores) fence();
          memory(me).set(round);
          if (fault != Fault::comes_before_it_stores) fence();
          for (int i = 0; i < members; ++i)
            Explored::check(memory(i).get() == round, "a store from before the fence is missing");
          if (round < rounds) fence();
        }
      });
  };
}

// Nobody waits in the fence; member 1 waits for member 0 before it reads what that wrote, and member 0 may be
// further by then.
auto late_waits(Fault fault)
{
  return [=](Scenario& scenario) {
    auto s = std::make_shared<State>(2);
    scenario.thread([=] {
      if (fault == Fault::comes_before_it_stores) s->attendance.come(0, 1);
      s->memory[0].set(7);
      if (fault != Fault::comes_before_it_stores) s->attendance.come(0, 1);
      s->attendance.come(0, 2);
    });
    scenario.thread([=] {
      s->attendance.come(1, 1);
      sleeping(s->attendance.parking(0),
               [&] { return s->attendance.has_come(0, 1 - (fault == Fault::waits_for_the_fence_before)); });
      Explored::check(s->memory[0].get() == 7, "what came before the fence is missing");
    });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("attendance: all see what all did before the fence")
{
  expect_correct("fences, 2 members", {}, fences(2, 2, Fault::none, spinning));
  expect_correct("fences, 2 members that sleep", {}, fences(2, 1, Fault::none, sleeping));
  expect_correct("fences, 3 members", {}, fences(3, 1, Fault::none, spinning),
                 {Memory::interleaved, Memory::store_buffers});
  for (Fault fault : {Fault::comes_before_it_stores, Fault::waits_for_the_fence_before})
    expect_failure("fences, with a fault", {}, fences(2, 1, fault, spinning), "");
  for (int word : {0, 1})
    for (Access access : {Access::store, Access::load})
      expect_failure("fences, relaxed " + std::to_string(word), relaxed_at({}, access, word),
                     fences(2, 1, Fault::none, spinning), "data race");
  for (int word : {2, 6, 10})
    expect_failure("fences of 3, relaxed " + std::to_string(word), relaxed_at({}, Access::store, word),
                   fences(3, 1, Fault::none, spinning), "data race");
}

TEST_CASE("attendance: who needs one member waits for that alone")
{
  expect_correct("fences that wait late", {}, late_waits(Fault::none));
  for (Fault fault : {Fault::comes_before_it_stores, Fault::waits_for_the_fence_before})
    expect_failure("fences that wait late, with a fault", {}, late_waits(fault), "");
  for (Access access : {Access::store, Access::load})
    expect_failure("fences that wait late, relaxed", relaxed_at({}, access, 0), late_waits(Fault::none),
                   "data race");
}

TEST_CASE("attendance: nobody sleeps for ever")
{
  Options no_fence;
  no_fence.memory = Memory::store_buffers;
  no_fence.heavy_fences = false;
  expect_failure("fences, no heavy fence", no_fence, fences(2, 1, Fault::none, sleeping), "nobody can go on");
}

TEST_SUITE_END();

}  // namespace attendance_walk
