// The explorer itself: known shapes with known answers, in each memory mode.
#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <utility>

#include "scheduler.hpp"

using namespace ranklet::explore;

namespace {

using Word = Explored::atomic<int>;
constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

using Pairs = std::set<std::pair<int, int>>;

// All outcomes of store buffering: each thread stores to its own word, then loads the other's.
template <class FirstFence, class SecondFence>
Pairs store_buffering(const Options& options, FirstFence first_fence, SecondFence second_fence)
{
  Pairs seen;
  const Outcome outcome = explore(options, [&](Scenario& scenario) {
    struct State {
      Word x, y;
      int a = -1, b = -1;
    };
    auto s = std::make_shared<State>();
    scenario.thread([=] {
      s->x.store(1, relaxed);
      first_fence();
      s->a = s->y.load(relaxed);
    });
    scenario.thread([=] {
      s->y.store(1, relaxed);
      second_fence();
      s->b = s->x.load(relaxed);
    });
    scenario.finally([=, &seen] { seen.insert({s->a, s->b}); });
  });
  CHECK(outcome.failure == "");
  CHECK(outcome.exhausted);
  return seen;
}

// One thread sends a plain value through a word; is that a data race?
Outcome message_passing(Memory memory, std::memory_order store, std::memory_order load)
{
  Options options;
  options.memory = memory;
  return explore(options, [=](Scenario& scenario) {
    struct State {
      Word ready;
      Explored::data<int> value;
    };
    auto s = std::make_shared<State>();
    scenario.thread([=] {
      s->value.set(42);
      s->ready.store(1, store);
    });
    scenario.thread([=] {
      if (s->ready.load(load) == 1) Explored::check(s->value.get() == 42, "old value");
    });
  });
}

void no_fence() {}

}  // namespace

TEST_SUITE_BEGIN("explorer");

TEST_CASE("store buffering shows where it may, and only there")
{
  const Pairs sequential{{0, 1}, {1, 0}, {1, 1}};
  Pairs all = sequential;
  all.insert({0, 0});
  Options options;
  CHECK(store_buffering(options, no_fence, no_fence) == sequential);
  for (Memory memory : {Memory::store_buffers, Memory::views}) {
    options.memory = memory;
    options.fences = Fences::asymmetric;
    CHECK(store_buffering(options, no_fence, no_fence) == all);
    CHECK(store_buffering(options, Explored::light_fence, Explored::light_fence) == all);
    CHECK(store_buffering(options, Explored::light_fence, Explored::heavy_fence) == sequential);
    options.fences = Fences::symmetric;
    CHECK(store_buffering(options, no_fence, Explored::heavy_fence) == all);
    CHECK(store_buffering(options, Explored::light_fence, Explored::light_fence) == sequential);
  }
}

TEST_CASE("a plain value needs release and acquire")
{
  for (Memory memory : {Memory::interleaved, Memory::store_buffers, Memory::views}) {
    CHECK(message_passing(memory, release, acquire).failure == "");
    CHECK(message_passing(memory, relaxed, acquire).failure.starts_with("data race"));
    CHECK(message_passing(memory, release, relaxed).failure.starts_with("data race"));
  }
}

TEST_CASE("independent reads of independent writes differ only in the C++ model")
{
  for (Memory memory : {Memory::interleaved, Memory::store_buffers, Memory::views}) {
    bool differ = false;
    Options options;
    options.memory = memory;
    const Outcome outcome = explore(options, [&](Scenario& scenario) {
      struct State {
        Word x, y;
        int r[4] = {};
      };
      auto s = std::make_shared<State>();
      scenario.thread([=] { s->x.store(1, release); });
      scenario.thread([=] { s->y.store(1, release); });
      scenario.thread([=] {
        s->r[0] = s->x.load(acquire);
        s->r[1] = s->y.load(acquire);
      });
      scenario.thread([=] {
        s->r[2] = s->y.load(acquire);
        s->r[3] = s->x.load(acquire);
      });
      scenario.finally([=, &differ] {
        differ = differ || (s->r[0] == 1 && s->r[1] == 0 && s->r[2] == 1 && s->r[3] == 0);
      });
    });
    CHECK(outcome.exhausted);
    CHECK(differ == (memory == Memory::views));
  }
}

TEST_CASE("every interleaving of two increments is walked")
{
  std::set<int> results;
  const Outcome outcome = explore({}, [&](Scenario& scenario) {
    auto word = std::make_shared<Word>();
    for (int t = 0; t < 2; ++t)
      scenario.thread([=] {
        const int old = word->load(relaxed);
        word->store(old + 1, relaxed);
      });
    scenario.finally([=, &results] { results.insert(word->load(relaxed)); });
  });
  CHECK(outcome.exhausted);
  CHECK(results == std::set<int>{1, 2});
}

TEST_CASE("what comes while an attempt waits for something else is not missed")
{
  const Outcome outcome = explore({}, [](Scenario& scenario) {
    struct State {
      Word flag, held{1};
    };
    auto s = std::make_shared<State>();
    scenario.thread([=] {
      Explored::await([&] {
        const bool is_set = s->flag.load(acquire) == 1;
        while (s->held.load(acquire) != 0) Explored::pause();
        return is_set;
      });
    });
    scenario.thread([=] {
      s->flag.store(1, release);
      s->held.store(0, release);
    });
  });
  CHECK(outcome.failure == "");
  CHECK(outcome.exhausted);
}

TEST_CASE("a thread that waits for what never comes is reported")
{
  const Outcome sleeping = explore({}, [](Scenario& scenario) {
    auto word = std::make_shared<Explored::atomic<std::uint32_t>>();
    scenario.thread([=] { Explored::futex_wait(*word, 0, 1000); });
  });
  CHECK(sleeping.failure.starts_with("nobody can go on"));
  const Outcome looping = explore({}, [](Scenario& scenario) {
    auto word = std::make_shared<Word>();
    scenario.thread([=] { Explored::await([&] { return word->load(relaxed) == 2; }); });
    scenario.thread([=] { word->store(1, relaxed); });
  });
  CHECK(looping.failure.starts_with("nobody can go on"));
}

TEST_SUITE_END();
