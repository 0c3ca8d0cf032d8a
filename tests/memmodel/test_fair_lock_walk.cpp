// FairLock and Gate in all executions of two or three threads.
#include "memmodel/memmodel.hpp"
#include "walks.hpp"

using namespace ranklet::explore;
using ranklet::memmodel::FairLock;
using ranklet::memmodel::Gate;
using ranklet::memmodel::Parking;

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
  const Lock::Ticket ticket = lock.draw_shared();
  Explored::await([&] { return lock.has_shared_turn(ticket); });
}

enum class Fault {
  none,
  reader_overtakes,     // a reader draws a ticket and does not wait for its turn
  reader_leaves_early,  // a reader leaves before its last look
  wakes_its_own         // who leaves wakes those of another number
};

// Writers increment a plain number under the lock, readers read it. Locations: 0 the tickets, 1 the turn.
auto fair_lock(int writers, int readers, Lock::Ticket first, bool tries = false, Fault fault = Fault::none)
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
        if (fault == Fault::reader_leaves_early) s->lock.leave_shared();
        Explored::check(s->number.get() == before, "a writer among readers");
        if (fault != Fault::reader_leaves_early) s->lock.leave_shared();
      });
    scenario.finally([=] { Explored::check(s->number.get() == writers, "an increment was lost"); });
  };
}

// While a reader is inside a writer comes, then another reader: that one is behind the writer.
auto arrivals(bool tries, Fault fault = Fault::none)
{
  return [=](Scenario& scenario) {
    struct State {
      Lock lock;
      ranklet::memmodel::Flag<Explored> writer_waits;
      Explored::data<int> number;
    };
    auto s = std::make_shared<State>();
    const Lock::Ticket first = s->lock.draw_shared();
    scenario.thread([=] {
      Explored::await([&] { return s->lock.has_shared_turn(first); });
      Explored::check(s->number.get() == 0, "a writer among readers");
      s->lock.leave_shared();
    });
    scenario.thread([=] {
      const Lock::Ticket ticket = s->lock.draw();
      s->writer_waits.set();
      Explored::await([&] { return s->lock.has_turn(ticket); });
      s->number.set(1);
      s->lock.leave(ticket);
    });
    scenario.thread([=] {
      Explored::await([&] { return s->writer_waits.is_set(); });
      if (fault == Fault::reader_overtakes)
        s->lock.draw_shared();
      else
        lock_shared(s->lock, tries);
      Explored::check(s->number.get() == 1, "a reader has overtaken a writer");
      s->lock.leave_shared();
    });
  };
}

// Two readers of different locks, each of which changes what the other one looks at after it has left: not
// both may miss the change.
void readers_of_two(Scenario& scenario)
{
  struct State {
    Lock locks[2];
    Explored::atomic<std::uint32_t> words[2];
    std::uint32_t seen[2] = {};
  };
  auto s = std::make_shared<State>();
  for (int t = 0; t < 2; ++t)
    scenario.thread([=] {
      lock_shared(s->locks[t]);
      s->words[t].store(1, std::memory_order_relaxed);
      s->locks[t].fence_and_leave_shared();
      s->seen[t] = s->words[1 - t].load(std::memory_order_relaxed);
    });
  scenario.finally(
      [=] { Explored::check(s->seen[0] + s->seen[1] > 0, "both have missed the other's change"); });
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

// Who waits sleeps with those whose tickets have its number, and is woken by who leaves with that number.
auto sleepers(int writers, int readers, Lock::Ticket first, Fault fault = Fault::none)
{
  return [=](Scenario& scenario) {
    struct State {
      explicit State(Lock::Ticket ticket) : lock(ticket) {}
      Lock lock;
      Parking<Explored> places[4];
      Parking<Explored>& place(std::uint32_t number) { return places[number % 4]; }
    };
    auto s = std::make_shared<State>(first);
    for (int t = 0; t < writers; ++t)
      scenario.thread([=] {
        const Lock::Ticket ticket = s->lock.draw();
        sleeping(s->place(Lock::number(ticket)), [&] { return s->lock.has_turn(ticket); });
        const std::uint32_t next = s->lock.leave(ticket);
        s->place(fault == Fault::wakes_its_own ? Lock::number(ticket) : next).notify();
      });
    for (int t = 0; t < readers; ++t)
      scenario.thread([=] {
        const Lock::Ticket ticket = s->lock.draw_shared();
        sleeping(s->place(Lock::number(ticket)), [&] { return s->lock.has_shared_turn(ticket); });
        const std::uint32_t next = s->lock.leave_shared();
        s->place(fault == Fault::wakes_its_own ? next + 1 : next).notify();
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

// Where both counts wrap, and where one does.
constexpr Lock::Ticket last_ticket = ~Lock::Ticket{0}, last_exclusive = last_ticket >> 32;

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("fair lock: writers exclude each other and readers, also where tickets wrap")
{
  for (Lock::Ticket first : {Lock::Ticket{0}, last_exclusive, last_ticket}) {
    expect_correct("fair lock, 2 writers", {}, fair_lock(2, 0, first));
    expect_correct("fair lock, writer and reader", {}, fair_lock(1, 1, first));
    expect_correct("fair lock, writer and 2 readers", {}, fair_lock(1, 2, first));
    expect_correct("fair lock, 2 writers and reader", {}, fair_lock(2, 1, first));
  }
}

TEST_CASE("fair lock: who tries gets it at once or waits as others")
{
  for (Lock::Ticket first : {Lock::Ticket{0}, last_exclusive, last_ticket}) {
    expect_correct("fair lock, 2 try", {}, fair_lock(2, 0, first, true));
    expect_correct("fair lock, a writer and a reader try", {}, fair_lock(1, 1, first, true));
    expect_correct("fair lock, a writer and 2 readers try", {}, fair_lock(1, 2, first, true));
    expect_correct("fair lock, 3 try", {}, fair_lock(3, 0, first, true));
  }
}

TEST_CASE("fair lock: readers come in together")
{
  expect_correct("fair lock, readers together", {}, readers_together(false));
  expect_correct("fair lock, readers that try", {}, readers_together(true));
}

TEST_CASE("fair lock: who comes after a waiting writer does not overtake it")
{
  expect_correct("fair lock, arrivals", {}, arrivals(false));
  expect_correct("fair lock, arrivals that try", {}, arrivals(true));
}

TEST_CASE("fair lock: who leaves with a fence does not miss what others did before theirs")
{
  expect_correct("fair lock, readers of two", {}, readers_of_two);
  Options unfenced;
  unfenced.memory = Memory::views;
  unfenced.full_fences = false;
  expect_failure("fair lock, no fence", unfenced, readers_of_two, "both have missed");
}

TEST_CASE("fair lock: who sleeps with its number is woken")
{
  for (Lock::Ticket first : {Lock::Ticket{0}, last_exclusive}) {
    expect_correct("fair lock, 2 writers sleep", {}, sleepers(2, 0, first));
    expect_correct("fair lock, writer and reader sleep", {}, sleepers(1, 1, first));
    expect_failure("fair lock, the wrong one is woken", {}, sleepers(2, 0, first, Fault::wakes_its_own),
                   "nobody can go on");
    expect_failure("fair lock, a reader wakes the wrong one", {}, sleepers(1, 1, first, Fault::wakes_its_own),
                   "nobody can go on");
  }
}

TEST_CASE("fair lock: readers that do not wait, or leave too early, are found")
{
  for (Memory memory : {Memory::interleaved, Memory::store_buffers, Memory::views}) {
    Options options;
    options.memory = memory;
    expect_failure("fair lock, a reader overtakes", options, arrivals(false, Fault::reader_overtakes), "");
    expect_failure("fair lock, a reader leaves early", options,
                   fair_lock(1, 1, 0, false, Fault::reader_leaves_early), "");
  }
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
