// FairLock and Gate in all executions of two or three threads.
#include "memmodel/memmodel.hpp"
#include "walks.hpp"

using namespace ranklet::explore;
using ranklet::memmodel::FairLock;
using ranklet::memmodel::Gate;

namespace {

using Lock = FairLock<Explored>;

void lock(Lock& lock, Lock::Ticket& ticket)
{
  ticket = lock.draw();
  Explored::await([&] { return lock.has_turn(ticket); });
}

void lock_shared(Lock& lock, bool tries = false)
{
  if (tries && lock.try_lock_shared()) return;
  const Lock::Ticket ticket = lock.draw();
  Explored::await([&] { return lock.has_shared_turn(ticket); });
  lock.enter_shared();
}

// Writers increment a plain number under the lock, readers read it. Locations: 0 the tickets, 1 the turn.
auto fair_lock(int writers, int readers, Lock::Ticket first, bool tries = false)
{
  return [=](Scenario& scenario) {
    struct State {
      explicit State(Lock::Ticket ticket) : lock(ticket) {}
      Lock lock;
      Explored::data<int> number;
    };
    auto s = std::make_shared<State>(first);
    for (int t = 0; t < writers; ++t)
      scenario.thread([=] {
        Lock::Ticket ticket;
        if (!tries || !s->lock.try_lock(ticket)) lock(s->lock, ticket);
        s->number.set(s->number.get() + 1);
        s->lock.leave(ticket);
      });
    for (int t = 0; t < readers; ++t)
      scenario.thread([=] {
        lock_shared(s->lock, tries);
        const int before = s->number.get();
        Explored::check(s->number.get() == before, "a writer among readers");
        s->lock.leave_shared();
      });
    scenario.finally([=] { Explored::check(s->number.get() == writers, "an increment was lost"); });
  };
}

// Both readers are inside at once, or the second would wait for ever.
auto readers_together(bool tries)
{
  return [=](Scenario& scenario) {
    struct State {
      Lock lock;
      ranklet::memmodel::Counter<Explored> inside;
    };
    auto s = std::make_shared<State>();
    for (int t = 0; t < 2; ++t)
      scenario.thread([=] {
        lock_shared(s->lock, tries);
        s->inside.add(1);
        Explored::await([&] { return s->inside.value() == 2; });
        s->lock.leave_shared();
      });
  };
}

// A passer changes a plain number inside, the other one closes and changes it too. Locations: 0 the gate, 1
// the passer.
auto gate(bool shared)
{
  return [=](Scenario& scenario) {
    struct State {
      Gate<Explored> gate;
      Gate<Explored>::Passer passer;
      Explored::data<int> number;
    };
    auto s = std::make_shared<State>();
    scenario.thread([=] {
      for (int i = 0; i < 2; ++i) {
        Explored::await([&] { return s->gate.enter(s->passer, shared); });
        s->number.set(s->number.get() + 1);
        s->gate.leave(s->passer, shared);
      }
    });
    scenario.thread([=] {
      s->gate.close();
      Explored::await([&] { return !s->passer.is_inside(); });
      s->number.set(s->number.get() + 10);
      s->gate.open();
    });
    scenario.finally([=] { Explored::check(s->number.get() == 12, "a change was lost"); });
  };
}

constexpr Lock::Ticket last_ticket = ~Lock::Ticket{0};

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("fair lock: writers exclude each other and readers, also where tickets wrap")
{
  for (Lock::Ticket first : {Lock::Ticket{0}, last_ticket}) {
    expect_correct("fair lock, 2 writers", {}, fair_lock(2, 0, first));
    expect_correct("fair lock, writer and reader", {}, fair_lock(1, 1, first));
    expect_correct("fair lock, writer and 2 readers", {}, fair_lock(1, 2, first),
                   {Memory::interleaved, Memory::store_buffers});
  }
}

TEST_CASE("fair lock: who tries gets it at once or waits as others")
{
  for (Lock::Ticket first : {Lock::Ticket{0}, last_ticket}) {
    expect_correct("fair lock, 2 try", {}, fair_lock(2, 0, first, true));
    expect_correct("fair lock, a writer and a reader try", {}, fair_lock(1, 1, first, true));
    expect_correct("fair lock, a writer and 2 readers try", {}, fair_lock(1, 2, first, true),
                   {Memory::interleaved, Memory::store_buffers});
    expect_correct("fair lock, 3 try", {}, fair_lock(3, 0, first, true),
                   {Memory::interleaved, Memory::store_buffers});
  }
}

TEST_CASE("fair lock: readers come in together")
{
  expect_correct("fair lock, readers together", {}, readers_together(false));
  expect_correct("fair lock, readers that try", {}, readers_together(true));
}

TEST_CASE("fair lock: each of its orders is needed")
{
  for (Memory memory : {Memory::interleaved, Memory::views}) {
    Options options;
    options.memory = memory;
    Options store = relaxed_at(options, Access::store, 1), load = relaxed_at(options, Access::load, 1),
            update = relaxed_at(options, Access::update, 1);
    expect_failure("fair lock, relaxed leave", store, fair_lock(2, 0, 0), "data race");
    expect_failure("fair lock, relaxed turn", load, fair_lock(2, 0, 0), "data race");
    expect_failure("fair lock, relaxed leave_shared", update, fair_lock(1, 1, 0), "data race");
    expect_failure("fair lock, relaxed look of who tries", load, fair_lock(1, 1, 0, true), "data race");
  }
}

TEST_CASE("gate: who closes it is alone")
{
  expect_correct("gate", {}, gate(false));
  expect_correct("gate, shared passer", {}, gate(true));
  Options symmetric;
  symmetric.fences = Fences::symmetric;
  expect_correct("gate, symmetric fences", symmetric, gate(false));
}

TEST_CASE("gate: each of its orders and fences is needed")
{
  for (Memory memory : {Memory::store_buffers, Memory::views}) {
    Options options;
    options.memory = memory;
    expect_failure("gate, relaxed open", relaxed_at(options, Access::store, 0), gate(false), "data race");
    expect_failure("gate, relaxed look", relaxed_at(options, Access::load, 0), gate(false), "data race");
    expect_failure("gate, relaxed leave", relaxed_at(options, Access::store, 1), gate(false), "data race");
    expect_failure("gate, relaxed wait", relaxed_at(options, Access::load, 1), gate(false), "data race");
    Options unfenced = options;
    unfenced.heavy_fences = false;
    expect_failure("gate, no heavy fence", unfenced, gate(false), "data race");
  }
}

TEST_SUITE_END();
