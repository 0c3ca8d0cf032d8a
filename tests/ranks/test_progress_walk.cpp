// The list of operations that only a rank's own threads may advance, in all executions: sleepers at the
// rank's own place and elsewhere, threads that start an operation and compute, that throw, that come late,
// and cancelled ones.
#include <array>
#include <limits>

#include "memmodel/walked_lock.hpp"
#include "memmodel/walks.hpp"
#include "ranks/progress_functions.hpp"

namespace progress_walk {

using namespace ranklet::explore;
using ranklet::OwnerOperation;
using ranklet::memmodel::Flag;
using ranklet::memmodel::Parking;
using ranklet::memmodel::Sequence;

namespace {

using List = ranklet::ProgressList<Explored>;

// In order of construction.
enum Location { own_place = 0, count = 1, lock = 2, elsewhere = 3, other_place = 4 };

enum class Fault { none, notifies_own_place_only, wakes_before_it_publishes, sleeps_unknown };

struct State;

// Does a step for each that others have allowed, and ends after the last one.
struct Operation final : OwnerOperation {
  State* state = nullptr;
  int steps = 1;
  int throws_at = 0;
  Sequence<Explored> allowed, done;
  std::array<Explored::data<int>, 3> given;  // by who allows a step
  Explored::data<int> taken, worked;         // by who does it; by who looks

  bool can_advance() const noexcept override { return allowed.value() > done.value(); }
  bool has_ended() const noexcept { return done.value() == static_cast<std::uint64_t>(steps); }
  void step();
  bool work() override;
};

struct State {
  Parking<Explored> own;
  List list{own};
  Parking<Explored> spot;
  Operation operation;
  Flag<Explored> cancelled;
};

bool Operation::work()
{
  worked.set(1);
  while (can_advance()) {
    const int next = taken.get() + 1;
    if (next == throws_at) {
      throws_at = 0;
      throw next;
    }
    Explored::check(given[static_cast<std::size_t>(next)].get() == next, "a step that nobody has allowed");
    taken.set(next);
    if (next == steps) state->list.remove(*this);
    done.publish(static_cast<std::uint64_t>(next));
    if (next < steps) continue;
    state->own.notify();
    state->spot.notify();
    return false;
  }
  return true;
}

// A wait of the rank, as sleep_until() in ranks/wait.hpp sleeps.
template <class Done>
void wait(State& s, Parking<Explored>& spot, Done done, Fault fault = Fault::none)
{
  const auto sleep = [&] {
    Explored::await([&] {
      if (done()) return true;
      if (!s.list.is_empty()) {
        s.list.serve(std::numeric_limits<int>::max());
        if (done()) return true;
      }
      spot.park([&] { return done() || s.list.is_ready() || s.cancelled.is_set(); });
      return s.cancelled.is_set();
    });
  };
  if (fault == Fault::sleeps_unknown) return sleep();
  const List::Sleep known(s.list, spot);
  sleep();
}

// Another rank allows a step.
void allow(State& s, int step, Fault fault = Fault::none)
{
  if (fault == Fault::wakes_before_it_publishes) s.list.wake();
  s.operation.given[static_cast<std::size_t>(step)].set(step);
  s.operation.allowed.publish(static_cast<std::uint64_t>(step));
  if (fault == Fault::notifies_own_place_only)
    s.own.notify();
  else if (fault != Fault::wakes_before_it_publishes)
    s.list.wake();
}

std::shared_ptr<State> make(int steps)
{
  auto s = std::make_shared<State>();
  s->operation.state = s.get();
  s->operation.steps = steps;
  return s;
}

// One thread starts the operation and waits for its end.
auto one_waits(int steps, Fault fault = Fault::none)
{
  return [=](Scenario& scenario) {
    auto s = make(steps);
    scenario.thread([=] {
      s->list.add(s->operation);
      wait(*s, s->own, [=] { return s->operation.has_ended(); });
      Explored::check(s->list.is_empty(), "it has ended and is on the list");
    });
    scenario.thread([=] {
      for (int step = 1; step <= steps; ++step) allow(*s, step, fault);
    });
  };
}

// It waits for something else that comes only when the other rank has seen the step done.
auto one_waits_elsewhere(int steps, Fault fault = Fault::none)
{
  return [=](Scenario& scenario) {
    auto s = make(steps);
    auto end = std::make_shared<Flag<Explored>>();
    scenario.thread([=] {
      s->list.add(s->operation);
      wait(
          *s, s->spot, [=] { return end->is_set(); }, fault);
    });
    scenario.thread([=] {
      for (int step = 1; step <= steps; ++step) {
        allow(*s, step, fault);
        Explored::await([&] { return s->operation.done.value() >= static_cast<std::uint64_t>(step); });
      }
      end->set();
      s->spot.notify();
    });
  };
}

// One thread starts the operation, does what can be done, and computes; another one of the rank waits. The
// step is allowed by a third one, or before.
auto one_starts_another_waits(bool is_elsewhere, bool is_allowed, int throws_at = 0)
{
  return [=](Scenario& scenario) {
    auto s = make(1);
    s->operation.throws_at = throws_at;
    if (is_allowed) allow(*s, 1);
    scenario.thread([=] {
      s->list.add(s->operation);
      try {
        s->list.advance(s->operation);
      } catch (int) {
      }
    });
    scenario.thread([=] {
      // What is thrown is thrown at whoever does the step; it waits again.
      for (bool waits = true; waits;) {
        try {
          wait(*s, is_elsewhere ? s->spot : s->own, [=] { return s->operation.has_ended(); });
          waits = false;
        } catch (int) {
        }
      }
    });
    if (!is_allowed) scenario.thread([=] { allow(*s, 1); });
  };
}

// Two threads of the rank wait, one at its own place and one elsewhere.
void two_wait(Scenario& scenario)
{
  auto s = make(2);
  s->list.add(s->operation);
  allow(*s, 1);
  scenario.thread([=] { wait(*s, s->own, [=] { return s->operation.has_ended(); }); });
  scenario.thread([=] {
    allow(*s, 2);
    wait(*s, s->spot, [=] { return s->operation.has_ended(); });
  });
}

// The wait ends though nothing comes any more.
void cancelled_wait(Scenario& scenario)
{
  auto s = make(1);
  scenario.thread([=] {
    s->list.add(s->operation);
    wait(*s, s->own, [=] { return s->operation.has_ended(); });
  });
  scenario.thread([=] {
    s->cancelled.set();
    s->own.notify();
  });
}

Options without_heavy_fences()
{
  Options options;
  options.memory = Memory::store_buffers;
  options.heavy_fences = false;
  return options;
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("progress: who waits serves the list, wherever it sleeps")
{
  for (Fences fences : {Fences::asymmetric, Fences::symmetric}) {
    Options options;
    options.fences = fences;
    options.stale_reads = 1;
    expect_correct("progress, 1 step", options, one_waits(1));
    expect_correct("progress elsewhere, 1 step", options, one_waits_elsewhere(1));
  }
  expect_correct("progress, 2 steps", {}, one_waits(2), {Memory::interleaved, Memory::store_buffers});
  expect_correct("progress elsewhere, 2 steps", {}, one_waits_elsewhere(2), {Memory::interleaved});
  expect_correct("progress, cancelled", {}, cancelled_wait);
}

TEST_CASE("progress: several threads of a rank, of which one computes, or throws")
{
  expect_correct("progress, 1 starts, another waits", {}, one_starts_another_waits(false, false),
                 {Memory::interleaved});
  // A sleeping thread is woken, though nothing is published any more.
  for (const bool is_elsewhere : {false, true}) {
    expect_correct("progress, 1 throws, another waits", {}, one_starts_another_waits(is_elsewhere, true, 1),
                   {Memory::interleaved, Memory::store_buffers});
  }
  expect_correct("progress, 2 wait", {}, two_wait, {Memory::interleaved});
}

TEST_CASE("progress: a planted fault is found")
{
  const std::string lost = "nobody can go on";
  expect_failure("progress, wakes before it publishes", {}, one_waits(1, Fault::wakes_before_it_publishes),
                 lost);
  expect_failure("progress elsewhere, own place only", {},
                 one_waits_elsewhere(1, Fault::notifies_own_place_only), lost);
  expect_failure("progress elsewhere, unknown", {}, one_waits_elsewhere(1, Fault::sleeps_unknown), lost);
  expect_failure("progress without heavy fence", without_heavy_fences(), one_waits(1), lost);
  expect_failure("progress elsewhere without heavy fence", without_heavy_fences(), one_waits_elsewhere(1),
                 lost);
  Options options;
  options.memory = Memory::store_buffers;
  options.fences = Fences::symmetric;
  options.light_fences = false;
  expect_failure("progress without waker's fence", options, one_waits(1), lost);
  expect_failure("progress elsewhere without waker's fence", options, one_waits_elsewhere(1), lost);
  for (Access access : {Access::store, Access::update})
    expect_failure("progress, relaxed lock", relaxed_at({}, access, lock),
                   one_starts_another_waits(false, false), "data race");
}

TEST_SUITE_END();

}  // namespace progress_walk
