// Token, SpinLock, Flag, Sequence, Counter and Meeting in all executions of two or three threads.
#include "memmodel/memmodel.hpp"
#include "walks.hpp"

using namespace ranklet::explore;
using ranklet::memmodel::Counter;
using ranklet::memmodel::Flag;
using ranklet::memmodel::Meeting;
using ranklet::memmodel::Sequence;
using ranklet::memmodel::SpinLock;
using ranklet::memmodel::Token;
using ranklet::memmodel::TokenGuard;

namespace {

// Each thread tries a few times; who holds the token increments a plain number.
auto token(int threads, int tries)
{
  return [=](Scenario& scenario) {
    struct State {
      Token<Explored> token;  // location 0
      Explored::data<int> number;
      int expected = 0;
    };
    auto s = std::make_shared<State>();
    for (int t = 0; t < threads; ++t)
      scenario.thread([=] {
        for (int i = 0; i < tries; ++i) {
          const TokenGuard<Explored> guard(s->token);
          if (!guard) continue;
          s->number.set(s->number.get() + 1);
          ++s->expected;
        }
      });
    scenario.finally([=] {
      Explored::check(s->number.get() == s->expected && s->expected >= tries, "an increment was lost");
      Explored::check(!s->token.looks_held(), "the token is still held");
    });
  };
}

// Who sees that nobody holds the token any more sees what the last holder wrote. Location 0: the token.
void token_let_go(Scenario& scenario)
{
  struct State {
    Token<Explored> token;
    Explored::data<int> number;
  };
  auto s = std::make_shared<State>();
  s->token.try_acquire();
  scenario.thread([=] {
    s->number.set(7);
    s->token.release();
  });
  scenario.thread([=] {
    Explored::await([&] { return !s->token.is_held(); });
    Explored::check(s->number.get() == 7, "old value");
  });
}

// Location 0: the lock's word.
auto spin_lock(int threads)
{
  return [=](Scenario& scenario) {
    struct State {
      SpinLock<Explored> lock;
      Explored::data<int> number;
    };
    auto s = std::make_shared<State>();
    for (int t = 0; t < threads; ++t)
      scenario.thread([=] {
        s->lock.lock();
        s->number.set(s->number.get() + 1);
        s->lock.unlock();
      });
    scenario.finally([=] { Explored::check(s->number.get() == threads, "an increment was lost"); });
  };
}

// Location 0: the flag. Two race to be first; a third reads what either has published.
void flag(Scenario& scenario)
{
  struct State {
    Flag<Explored> flag;
    Explored::data<int> value[2];
    int firsts = 0;
  };
  auto s = std::make_shared<State>();
  for (int t = 0; t < 2; ++t)
    scenario.thread([=] {
      s->value[t].set(t + 1);
      if (s->flag.set_first()) {
        ++s->firsts;
      } else {
        Explored::check(s->value[1 - t].get() == 2 - t, "the second does not see the first");
      }
    });
  scenario.finally([=] { Explored::check(s->firsts == 1 && s->flag.is_set(), "not exactly one first"); });
}

// Location 0: the flag.
void one_way_flag(Scenario& scenario)
{
  struct State {
    Flag<Explored> flag;
    Explored::data<int> value;
  };
  auto s = std::make_shared<State>();
  scenario.thread([=] {
    s->value.set(7);
    s->flag.set();
  });
  for (int t = 0; t < 2; ++t)
    scenario.thread([=] {
      Explored::await([&] { return s->flag.is_set(); });
      Explored::check(s->value.get() == 7, "old value");
    });
}

// Location 0: the sequence. The reader may see step 1 or 2, and all that was done before it.
void sequence(Scenario& scenario)
{
  struct State {
    Sequence<Explored> sequence;
    Explored::data<int> value[2];
  };
  auto s = std::make_shared<State>();
  scenario.thread([=] {
    for (std::uint64_t step = 1; step <= 2; ++step) {
      s->value[step - 1].set(static_cast<int>(step) * 10);
      s->sequence.publish(step);
    }
  });
  scenario.thread([=] {
    const std::uint64_t seen = s->sequence.value();
    for (std::uint64_t step = 1; step <= seen; ++step)
      Explored::check(s->value[step - 1].get() == static_cast<int>(step) * 10, "old value");
    Explored::await([&] { return s->sequence.value() == 2; });
    Explored::check(s->value[1].get() == 20, "old value");
  });
}

// Location 0: the counter. The thread that completes it reads what all have written.
void counter(Scenario& scenario)
{
  struct State {
    Counter<Explored> counter;
    Explored::data<int> value[3];
    int last = 0;
  };
  auto s = std::make_shared<State>();
  for (int t = 0; t < 3; ++t)
    scenario.thread([=] {
      s->value[t].set(1);
      if (s->counter.add(1) != 3) return;
      ++s->last;
      int sum = 0;
      for (const auto& value : s->value) sum += value.get();
      Explored::check(sum == 3, "the last one misses a value");
    });
  scenario.finally([=] { Explored::check(s->last == 1, "not exactly one last"); });
}

// Location 0: the meeting. Two sides prepare something in each of two rounds; the side that comes second uses
// both.
void meeting(Scenario& scenario)
{
  struct State {
    Meeting<Explored> meeting;
    Explored::data<int> value[2];
    Sequence<Explored> ended;
    int seconds = 0;
  };
  auto s = std::make_shared<State>();
  for (unsigned side = 0; side < 2; ++side)
    scenario.thread([=] {
      for (int round = 1; round <= 2; ++round) {
        s->value[side].set(10 * round);
        const bool odd = round % 2 == 1;
        if (s->meeting.arrive(side, odd) == Meeting<Explored>::Arrival::second) {
          ++s->seconds;
          Explored::check(s->value[0].get() + s->value[1].get() == 20 * round, "something is not prepared");
          s->ended.publish(static_cast<std::uint64_t>(round));
        } else {
          Explored::await([&] { return s->ended.value() >= static_cast<std::uint64_t>(round); });
        }
        Explored::check(s->meeting.arrive(side, odd) == Meeting<Explored>::Arrival::again, "came twice");
      }
    });
  scenario.finally([=] { Explored::check(s->seconds == 2, "not exactly one second in each round"); });
}

// Runs the scenario as written in every memory mode, then with each of its orders made relaxed in turn.
struct Needed {
  Access access;
  const char* what;
};

template <class Setup>
void walk(const char* title, Setup setup, std::initializer_list<Needed> orders)
{
  expect_correct(title, {}, setup);
  for (const Needed& order : orders)
    for (Memory memory : {Memory::interleaved, Memory::store_buffers, Memory::views}) {
      Options options = relaxed_at({}, order.access, 0);
      options.memory = memory;
      std::string name = title;
      name += ", relaxed ";
      name += order.what;
      expect_failure(name, options, setup, "data race");
    }
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("token: one holder, who sees what earlier ones wrote")
{
  expect_correct("token, 3 threads", {}, token(3, 1));
  walk("token, 2 threads", token(2, 2), {{Access::update, "exchange"}, {Access::store, "store"}});
  walk("token, let go", token_let_go, {{Access::store, "store"}, {Access::load, "load"}});
}

TEST_CASE("spin lock: mutual exclusion")
{
  expect_correct("spin lock, 3 threads", {}, spin_lock(3), {Memory::interleaved, Memory::store_buffers});
  walk("spin lock, 2 threads", spin_lock(2), {{Access::update, "exchange"}, {Access::store, "store"}});
}

TEST_CASE("flag: exactly one is first, and seen by the second")
{
  walk("flag, set_first", flag, {{Access::update, "exchange"}});
  walk("flag, set", one_way_flag, {{Access::store, "store"}, {Access::load, "load"}});
}

TEST_CASE("sequence: a step shows all that came before it")
{
  walk("sequence", sequence, {{Access::store, "store"}, {Access::load, "load"}});
}

TEST_CASE("meeting: exactly one comes second, and sees what the first has prepared")
{
  walk("meeting", meeting, {{Access::update, "arrive"}});
}

TEST_CASE("counter: who completes it sees all others' work")
{
  walk("counter", counter, {{Access::update, "add"}});
  // Each half of acq_rel is needed.
  for (std::memory_order half : {std::memory_order_acquire, std::memory_order_release}) {
    Options options;
    options.order = [=](Access access, int, std::memory_order order) {
      return access == Access::update ? half : order;
    };
    expect_failure("counter, half an order", options, counter, "data race");
  }
}

TEST_SUITE_END();
