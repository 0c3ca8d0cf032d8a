// What is composed of gates and locks, in all executions: passing and closing, and sections of a lone thread.
#include <array>

#include "memmodel/closed_gate.hpp"
#include "memmodel/lone_gate.hpp"
#include "walks.hpp"

using namespace ranklet::explore;
using ranklet::memmodel::ClosedGate;
using ranklet::memmodel::Gate;
using ranklet::memmodel::LoneGate;
using ranklet::memmodel::SpinLock;

namespace {

// The parts of two members of a window: the lock and gate of each, and its passer.
struct Places {
  struct Place {
    SpinLock<Explored> lock;        // locations 3 i,
    Gate<Explored> gate;            // 3 i + 1
    Gate<Explored>::Passer passer;  // and 3 i + 2
    Explored::data<int> element;
  };
  std::array<Place, 2> of;
};

struct Gates {
  Places& places;
  int count() const noexcept { return 2; }
  Gate<Explored>& gate(int i) noexcept { return at(i).gate; }
  SpinLock<Explored>& lock(int i) noexcept { return at(i).lock; }
  const Gate<Explored>::Passer& passer(int i) const noexcept { return at(i).passer; }
  Places::Place& at(int i) const noexcept { return places.of[static_cast<std::size_t>(i)]; }
};

// Member 1 passes place 0, so often, while others want that for themselves; patience: their looks before they
// close all gates.
auto passing_and_closing(int passes, int closers, int patience)
{
  return [=](Scenario& scenario) {
    auto s = std::make_shared<Places>();
    const auto change = [=] { s->of[0].element.set(s->of[0].element.get() + 1); };
    if (passes > 0)
      scenario.thread([=] {
        for (int i = 0; i < passes; ++i) pass(s->of[0].gate, s->of[0].lock, s->of[1].passer, false, change);
      });
    for (int closer = 0; closer < closers; ++closer)
      scenario.thread([=] {
        const ClosedGate<Gates, Explored> closed(Gates{*s}, 0, patience);
        change();
      });
    scenario.finally(
        [=] { Explored::check(s->of[0].element.get() == passes + closers, "an increment was lost"); });
  };
}

// Two members close each other's gates, and all gates: in the order of their numbers nobody is stuck.
void crosswise(Scenario& scenario)
{
  auto s = std::make_shared<Places>();
  for (int me = 0; me < 2; ++me)
    scenario.thread([=] {
      const ClosedGate<Gates, Explored> closed(Gates{*s}, 1 - me, 0);
      s->of[static_cast<std::size_t>(1 - me)].element.set(me);
    });
}

// A rank's lone thread is in a section when it is said that several may come; then another one comes.
void lone_thread(Scenario& scenario)
{
  struct State {
    LoneGate<Explored> gate;  // locations 0 and 1
    SpinLock<Explored> lock;  // location 2
    Explored::data<int> number;
    void section() RANKLET_UNCHECKED  // the lock is for who is not alone
    {
      const bool alone = gate.enter();
      if (!alone) lock.lock();
      number.set(number.get() + 1);
      alone ? gate.leave() : lock.unlock();
    }
  };
  auto s = std::make_shared<State>();
  scenario.thread([=] {
    for (int i = 0; i < 2; ++i) s->section();
  });
  scenario.thread([=] {
    s->gate.end();
    s->section();
  });
  scenario.finally([=] { Explored::check(s->number.get() == 3, "an increment was lost"); });
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("closed gate: nobody passes it, and all go on")
{
  for (int patience : {0, 1}) {
    const std::string looks = std::to_string(patience);
    expect_correct("closed gate after 2 passes, looks " + looks, {}, passing_and_closing(2, 1, patience),
                   {Memory::interleaved});
    expect_correct("closed gate, 1 pass, looks " + looks, {}, passing_and_closing(1, 1, patience),
                   {Memory::interleaved, Memory::store_buffers});
  }
  expect_correct("closed gate, 2 who close", {}, passing_and_closing(0, 2, 0), {Memory::interleaved});
  expect_correct("closed gates crosswise", {}, crosswise, {Memory::interleaved, Memory::store_buffers});
}

TEST_CASE("closed gate: its fence, orders and lock are needed")
{
  Options options;
  options.memory = Memory::store_buffers;
  options.heavy_fences = false;
  expect_failure("closed gate without heavy fence", options, passing_and_closing(2, 1, 1), "data race");
  for (const int location : {1, 5})
    for (const Access access : {Access::store, Access::load})
      expect_failure("closed gate, relaxed " + std::to_string(location), relaxed_at({}, access, location),
                     passing_and_closing(2, 1, 1), "data race");
}

TEST_CASE("lone gate: nobody is in a section without the lock when several may come")
{
  expect_correct("lone gate", {}, lone_thread);
  Options options;
  options.memory = Memory::store_buffers;
  options.heavy_fences = false;
  expect_failure("lone gate without heavy fence", options, lone_thread, "data race");
  expect_failure("lone gate, relaxed leaving", relaxed_at({}, Access::store, 1), lone_thread, "data race");
  expect_failure("lone gate, relaxed look", relaxed_at({}, Access::load, 1), lone_thread, "data race");
}

TEST_SUITE_END();
