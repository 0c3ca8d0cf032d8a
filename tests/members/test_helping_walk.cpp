// Members that do each other's steps, in all executions.
#include <array>

#include "members/helping.hpp"
#include "memmodel/walks.hpp"

namespace helping_walk {

using namespace ranklet::explore;
using ranklet::members::Stages;
using ranklet::memmodel::Parking;

namespace {

constexpr std::uint64_t come = 1, reduced = 2, done = 3;

enum class Fault { none, comes_before_it_shows };

struct Step {
  int member;
  std::uint64_t stage;
};

struct State;

// An allreduce of three steps: member 0 adds up what both show, when they have come; member 1 takes the
// result.
struct Work {
  State* state = nullptr;
  int me = 0;
  Explored::data<int> next;  // step; under the token
  Step awaited{};
  const Step* run();
};

struct State {
  struct Slot {
    ranklet::memmodel::Sequence<Explored> stage;
    ranklet::memmodel::Token<Explored> token;
    Work* work = nullptr;
  };

  std::array<Slot, 2> slots;  // locations 2 i: stage, 2 i + 1: token
  std::array<Parking<Explored>, 2> parking;
  std::array<Work, 2> works;
  std::array<Explored::data<int>, 2> shown, result;
  ranklet::memmodel::Sequence<Explored> complete[2];

  void announce(int member, std::uint64_t stage)
  {
    slots[static_cast<std::size_t>(member)].stage.publish(stage);
    for (auto& sleeper : parking) sleeper.notify();
  }
};

const Step* Work::run()
{
  State& s = *state;
  const auto index = static_cast<std::size_t>(me);
  const auto has_reached = [&](int member, std::uint64_t stage) {
    awaited = {member, stage};
    return s.slots[static_cast<std::size_t>(member)].stage.value() >= stage;
  };
  if (next.get() == 0) {
    if (!has_reached(1 - me, me == 0 ? come : reduced)) return &awaited;
    next.set(1);
    if (me == 0) {
      s.result[0].set(s.shown[0].get() + s.shown[1].get());
      s.announce(0, reduced);
    } else {
      s.result[1].set(s.result[0].get());
    }
  }
  s.announce(me, done);
  s.slots[index].work = nullptr;
  s.complete[index].publish(1);
  s.parking[index].notify();
  return nullptr;
}

// waiting: the members that wait for the end of their part; others start it and compute.
auto allreduce(std::array<bool, 2> waiting, Fault fault)
{
  return [=](Scenario& scenario) {
    auto s = std::make_shared<State>();
    for (int me = 0; me < 2; ++me)
      scenario.thread([=] {
        const auto index = static_cast<std::size_t>(me);
        Work& work = s->works[index];
        work.state = s.get();
        work.me = me;
        if (fault == Fault::comes_before_it_shows) s->announce(me, come);
        s->shown[index].set(me + 1);
        s->slots[index].work = &work;
        if (fault != Fault::comes_before_it_shows) s->announce(me, come);
        if (!waiting[index]) return;
        const auto is_complete = [&] { return s->complete[index].value() == 1; };
        Explored::await([&] {
          const auto obstacle = ranklet::members::help<Explored>(
              me, 2,
              Stages{0, come, done}, [&](int i) -> auto& { return s->slots[static_cast<std::size_t>(i)]; },
              is_complete);
          if (is_complete()) return true;
          s->parking[index].park([&] { return is_complete() || obstacle.is_gone(); });
          return false;
        });
        Explored::check(s->result[index].get() == 3, "a wrong result");
      });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("helping: a member that waits completes, though the other one computes")
{
  expect_correct("helping, member 0 waits", {}, allreduce({true, false}, Fault::none),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("helping, member 1 waits", {}, allreduce({false, true}, Fault::none),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("helping, both wait", {}, allreduce({true, true}, Fault::none), {Memory::interleaved});
}

TEST_CASE("helping: a planted fault is found")
{
  const auto setup = allreduce({false, true}, Fault::none);
  expect_failure("helping, comes before it shows", {}, allreduce({false, true}, Fault::comes_before_it_shows),
                 "");
  for (Access access : {Access::store, Access::load})
    expect_failure("helping, relaxed stage", relaxed_at({}, access, 0), setup, "");
  expect_failure("helping, relaxed token", relaxed_at({}, Access::update, {1, 3}),
                 allreduce({true, true}, Fault::none), "");
  Options options;
  options.memory = Memory::store_buffers;
  options.heavy_fences = false;
  expect_failure("helping without heavy fence", options, setup, "nobody can go on");
}

TEST_SUITE_END();

}  // namespace helping_walk
