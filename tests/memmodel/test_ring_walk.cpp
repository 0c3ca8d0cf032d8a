// Ring in all executions of two producers and a consumer, and of two consumers with a token.
#include "memmodel/memmodel.hpp"
#include "walks.hpp"

using namespace ranklet::explore;
using ranklet::memmodel::Ring;
using ranklet::memmodel::Token;
using ranklet::memmodel::TokenGuard;

namespace {

constexpr std::uint32_t capacity = 2;

struct Payload {
  Explored::data<int> item;
};

using WalkedRing = Ring<Payload, capacity, Explored>;

// Locations in order of construction.
enum Location { first_turn = 0, second_turn = 1, tail = 2, limit = 3, head = 4 };

void push(WalkedRing& ring, int item)
{
  Explored::await(
      [&] { return ring.try_push([&](Payload& payload) { payload.item.set(item); }, await_room); });
}

// Items are 10 * producer + number; each producer's come in their order.
struct Taken {
  int next[2] = {0, 0};
  void take(int item)
  {
    const int producer = item / 10;
    Explored::check(producer == 0 || producer == 1, "an item that nobody sent");
    Explored::check(item % 10 == next[producer], "an item is lost, doubled or out of order");
    ++next[producer];
  }
};

// Producer p pushes items[p] items into a ring that begins at `start`; one consumer takes all.
auto producers_and_consumer(std::uint64_t start, int items0, int items1)
{
  return [=](Scenario& scenario) {
    struct State {
      explicit State(std::uint64_t at) : ring(at) {}
      WalkedRing ring;
      Taken taken;
    };
    auto s = std::make_shared<State>(start);
    const int items[2] = {items0, items1};
    for (int producer = 0; producer < 2; ++producer)
      scenario.thread([=, count = items[producer]] {
        for (int i = 0; i < count; ++i) push(s->ring, 10 * producer + i);
      });
    scenario.thread([=] {
      for (int i = 0; i < items0 + items1; ++i) {
        Payload* payload = nullptr;
        Explored::await([&] { return (payload = s->ring.front()) != nullptr; });
        s->taken.take(payload->item.get());
        s->ring.pop();
      }
      Explored::check(s->ring.front() == nullptr, "an item too many");
      Explored::check(!s->ring.looks_nonempty(), "the empty ring looks full");
    });
    scenario.finally([=] {
      Explored::check(s->taken.next[0] == items0 && s->taken.next[1] == items1, "an item is missing");
    });
  };
}

// Producer 0 pushes a train of two cells and then single items, producer 1 pushes single items: 0 comes in
// the train's first cell, 1 in its second.
auto train_and_single(std::uint64_t start, int singles0, int items1)
{
  return [=](Scenario& scenario) {
    struct State {
      explicit State(std::uint64_t at) : ring(at) {}
      WalkedRing ring;
      Taken taken;
    };
    auto s = std::make_shared<State>(start);
    scenario.thread([=] {
      Explored::await([&] {
        return s->ring.try_push_train(
            2, [](Payload& payload) { payload.item.set(0); },
            [](Payload& payload, std::uint32_t i) { payload.item.set(static_cast<int>(i)); }, await_room);
      });
      for (int i = 0; i < singles0; ++i) push(s->ring, 2 + i);
    });
    scenario.thread([=] {
      for (int i = 0; i < items1; ++i) push(s->ring, 10 + i);
    });
    scenario.thread([=] {
      for (int i = 0; i < 1 + singles0 + items1; ++i) {
        Payload* payload = nullptr;
        Explored::await([&] { return (payload = s->ring.front()) != nullptr; });
        const int item = payload->item.get();
        s->taken.take(item);
        if (item == 0) s->taken.take(s->ring.behind_front(1).item.get());
        s->ring.pop(item == 0 ? 2 : 1);
      }
      Explored::check(!s->ring.looks_claimed(), "the empty ring looks full");
    });
    scenario.finally([=] {
      Explored::check(s->taken.next[0] == 2 + singles0 && s->taken.next[1] == items1, "an item is missing");
    });
  };
}

// One producer and two consumers that take turns by a token; each tries a few times. What was pushed and not
// taken is still there at the end.
void changing_consumers(Scenario& scenario)
{
  struct State {
    WalkedRing ring;
    Token<Explored> token;
    Taken taken;
    int pushed = 0;
    void take_one()
    {
      Payload* const payload = ring.front();
      if (payload == nullptr) return;
      taken.take(payload->item.get());
      ring.pop();
    }
  };
  auto s = std::make_shared<State>();
  scenario.thread([=] {
    for (int tries = 0; tries < 3; ++tries)
      if (s->ring.try_push([&](Payload& payload) { payload.item.set(s->pushed); }, await_room)) ++s->pushed;
  });
  for (int consumer = 0; consumer < 2; ++consumer)
    scenario.thread([=] {
      for (int tries = 0; tries < 2; ++tries) {
        const TokenGuard<Explored> guard(s->token);
        if (guard) s->take_one();
      }
    });
  scenario.finally([=] {
    while (s->ring.front() != nullptr) s->take_one();
    Explored::check(s->pushed >= 2 && s->taken.next[0] == s->pushed, "an item is missing");
  });
}

// Two producers and nobody else: who finds no room, or has lost it, takes what is there itself.
void producers_that_take(Scenario& scenario)
{
  struct State {
    WalkedRing ring;
    Token<Explored> token;
    Taken taken;
    void take_all()
    {
      const TokenGuard<Explored> guard(token);
      if (!guard) return;
      for (; Payload* const payload = ring.front(); ring.pop()) taken.take(payload->item.get());
    }
  };
  auto s = std::make_shared<State>();
  for (int producer = 0; producer < 2; ++producer)
    scenario.thread([=] {
      const auto await_room = [&](auto&& lacking) {
        Explored::await([&] {
          s->take_all();
          return lacking() == 0;
        });
      };
      for (int i = 0; i < 2; ++i) {
        const auto fill = [&](Payload& payload) { payload.item.set(10 * producer + i); };
        Explored::await([&] {
          if (s->ring.try_push(fill, await_room)) return true;
          s->take_all();
          return s->ring.try_push(fill, await_room);
        });
      }
    });
  scenario.finally([=] {
    s->take_all();
    Explored::check(s->taken.next[0] == 2 && s->taken.next[1] == 2, "an item is missing");
    Explored::check(!s->ring.looks_claimed(), "the empty ring looks full");
  });
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("ring: two producers, one consumer, more items than cells")
{
  expect_correct("ring 2+1 items", {}, producers_and_consumer(0, 2, 1),
                 {Memory::interleaved, Memory::store_buffers});
  Options options;
  options.stale_reads = 1;
  expect_correct("ring 2+1 items", options, producers_and_consumer(0, 2, 1), {Memory::views});
}

TEST_CASE("ring: turns wrap at 2^32")
{
  for (std::uint64_t before : {1, 2, 3})
    expect_correct("ring 2+1 items at the wrap", {}, producers_and_consumer((1ull << 32) - before, 2, 1),
                   {Memory::interleaved});
}

TEST_CASE("ring: a train among single items, also where it goes round the end and where turns wrap")
{
  for (std::uint64_t start : {0ull, 1ull, (1ull << 32) - 1, (1ull << 32) - 2})
    expect_correct("ring, train and 1 item", {}, train_and_single(start, 0, 1),
                   {Memory::interleaved, Memory::store_buffers});
  expect_correct("ring, train, 1+1 items", {}, train_and_single(0, 1, 1), {Memory::interleaved});
  Options options;
  options.stale_reads = 1;
  expect_correct("ring, train and 1 item", options, train_and_single(1, 0, 1), {Memory::views});
}

TEST_CASE("ring: the turn of a train's first cell publishes all")
{
  for (Location location : {first_turn, head})
    for (Access access : {Access::store, Access::load})
      expect_failure("ring, train, relaxed order", relaxed_at({}, access, location),
                     train_and_single(0, 0, 1), "data race");
}

TEST_CASE("ring: producers that take from it when they find no room or have lost it")
{
  expect_correct("ring, producers that take", {}, producers_that_take,
                 {Memory::interleaved, Memory::store_buffers});
}

TEST_CASE("ring: consumers that change by token")
{
  expect_correct("ring, changing consumers", {}, changing_consumers,
                 {Memory::interleaved, Memory::store_buffers});
}

TEST_CASE("ring: each acquire and release is needed")
{
  struct Needed {
    Access access;
    Location location;
    const char* what;
  };
  for (const Needed& order :
       {Needed{Access::store, first_turn, "turn store"}, Needed{Access::load, first_turn, "turn load"},
        Needed{Access::store, head, "head store"}, Needed{Access::load, head, "head load"},
        Needed{Access::store, limit, "limit store"}, Needed{Access::load, limit, "limit load"}})
    expect_failure(std::string("ring, relaxed ") + order.what, relaxed_at({}, order.access, order.location),
                   producers_and_consumer(0, 3, 1), "data race");
}

TEST_SUITE_END();
