// Members that find each other's slots of operations which they start when they like, in all executions.
#include <array>

#include "members/batches.hpp"
#include "memmodel/walks.hpp"

namespace batches_walk {

using namespace ranklet::explore;

namespace {

struct Slot {
  ranklet::memmodel::Sequence<Explored> stage;
  Explored::data<int> shown;
};

// How many members have come to the operation.
struct Common {
  ranklet::memmodel::Counter<Explored> come;
  void restart() { come.restart(0); }
};

constexpr std::uint64_t stages = 2, come = 1;

enum class Fault { none, leaves_early };

// How a member goes through the operations.
enum class Way {
  one_by_one,
  ahead,     // starts all before it looks at the other member's
  reversed,  // and looks at the last one first
  apart,     // each is a series of its own, which ends with it
};

// Two members start so many operations and read what the other shows in each.
auto operations(unsigned length, int count, std::array<Way, 2> ways, Fault fault = Fault::none)
{
  using Batches = ranklet::members::Batches<Slot, Common, stages, Explored>;
  struct State {
    explicit State(unsigned length) : batches(2, length) {}
    Batches batches;
    std::array<Batches::Series, 2> series;
  };
  return [=](Scenario& scenario) {
    auto s = std::make_shared<State>(length);
    for (int me = 0; me < 2; ++me)
      scenario.thread([=] {
        const Way way = ways[static_cast<std::size_t>(me)];
        const bool is_apart = way == Way::apart, is_ahead = way == Way::ahead || way == Way::reversed;
        Batches::Series& series = s->series[static_cast<std::size_t>(me)];
        std::vector<Batches::Operation> entered;
        const auto start = [&](int n) {
          const auto number = static_cast<std::uint64_t>(n);
          const auto operation = s->batches.enter(is_apart ? number : 0, series, me, is_apart ? 1 : number);
          Explored::check(!operation.has_reached(me, come), "the slot is of another operation");
          operation.slot(me).shown.set(10 * n + me);
          operation.slot(me).stage.publish(operation.stage(come));
          Explored::check(operation.common().come.add(1) <= 2, "what is common is of another operation");
          entered.push_back(operation);
        };
        const auto leave = [&](const auto& operation) {
          s->batches.leave(operation, me);
          if (is_apart) s->batches.end(series, me);
        };
        const auto look = [&](int n) {
          const auto operation = entered[static_cast<std::size_t>(n)];
          const bool is_early = fault == Fault::leaves_early && me == 0;
          if (is_early) leave(operation);
          Explored::await([&] { return operation.has_reached(1 - me, come); });
          Explored::check(operation.slot(1 - me).shown.get() == 10 * n + 1 - me,
                          "what another operation has shown");
          if (!is_early) leave(operation);
        };
        for (int n = 0; n < count; ++n) {
          start(n);
          if (!is_ahead) look(n);
        }
        for (int n = 0; n < count && is_ahead; ++n) look(way == Way::reversed ? count - 1 - n : n);
        s->batches.end(series, me);
      });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("batches: members find each other's slots, and those of used ones serve again")
{
  expect_correct("an operation", {}, operations(1, 1, {Way::apart, Way::apart}));
  expect_correct("2 series of 1 operation", {}, operations(1, 2, {Way::apart, Way::apart}),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("2 operations, a batch each", {}, operations(1, 2, {Way::one_by_one, Way::one_by_one}),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("2 operations, one member ahead", {}, operations(1, 2, {Way::ahead, Way::one_by_one}),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("3 operations in 2 batches", {}, operations(2, 3, {Way::reversed, Way::one_by_one}),
                 {Memory::interleaved, Memory::store_buffers});
}

TEST_CASE("batches: a planted fault is found")
{
  const auto setup = operations(1, 2, {Way::apart, Way::apart});
  expect_failure("left before it is read", {},
                 operations(1, 2, {Way::apart, Way::apart}, Fault::leaves_early), "");
  // Location 0 is the lock. A batch has the members' stages, what they have in common, how often each of them
  // holds it, and how many have left it; the first one is made under the lock, so its locations are the next.
  for (int location : {1, 2})
    for (Access access : {Access::store, Access::load})
      expect_failure("batches, relaxed stage", relaxed_at({}, access, location), setup, "data race");
  expect_failure("batches, relaxed lock", relaxed_at({}, Access::update, 0), setup, "data race");
  expect_failure("batches, relaxed count of who has left", relaxed_at({}, Access::update, 6), setup,
                 "data race");
}

TEST_SUITE_END();

}  // namespace batches_walk
