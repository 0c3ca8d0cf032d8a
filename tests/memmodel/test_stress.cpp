// The structures on real threads, more of them than cores; each item says where it comes from.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "memmodel/memmodel.hpp"

using namespace ranklet::memmodel;

namespace {

struct Item {
  std::uint32_t producer;
  std::uint32_t number;
  std::uint64_t check;  // of both, to notice a cell that was written while it was read
};

Item make_item(std::uint32_t producer, std::uint32_t number)
{
  return {producer, number, (std::uint64_t{producer} << 32 | number) * 0x9e3779b97f4a7c15u};
}

bool intact(const Item& item)
{
  return item.check == make_item(item.producer, item.number).check;
}

void run_threads(int count, const auto& body)
{
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&body, t] { body(t); });
  for (std::thread& thread : threads) thread.join();
}

constexpr std::uint32_t producers = 8;

// For a producer whose ring has a consumer in another thread.
constexpr auto yield_for_room = [](const auto& lacking) {
  while (lacking() != 0) Native::yield();
};

// The consumer's side, guarded by the token.
struct GuardedRing {
  explicit GuardedRing(std::uint64_t start) : ring(start) {}
  Ring<Item, 64> ring;
  Token<> token;
  std::array<std::uint32_t, producers> next{};
  std::uint64_t taken = 0;
  std::uint64_t wrong = 0;

  // Takes up to `limit` items when the token is free; says how many have been taken in all, or 0.
  std::uint64_t take(int limit)
  {
    const TokenGuard guard(token);
    if (!guard) return 0;
    for (int i = 0; i < limit; ++i) {
      const Item* const item = ring.front();
      if (item == nullptr) break;
      if (!intact(*item) || item->producer >= producers || item->number != next[item->producer]++) ++wrong;
      ++taken;
      ring.pop();
    }
    return taken;
  }
};

}  // namespace

TEST_SUITE_BEGIN("stress");

TEST_CASE("ring: 8 producers, 4 consumers that change by token, across the wrap of turns")
{
  constexpr std::uint32_t items = 2000;
  // Also from a position where turns wrap after a while.
  for (const std::uint64_t start : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 8000}) {
    auto mailbox = std::make_unique<GuardedRing>(start);
    run_threads(12, [&](int t) {
      if (t < static_cast<int>(producers)) {
        for (std::uint32_t number = 0; number < items;) {
          if (mailbox->ring.try_push(
                  [&](Item& cell) { cell = make_item(static_cast<std::uint32_t>(t), number); },
                  yield_for_room))
            ++number;
          else
            Native::yield();
        }
      } else {
        while (mailbox->take(1 + t) < std::uint64_t{producers} * items) Native::yield();
      }
    });
    CHECK(mailbox->wrong == 0);
    CHECK(mailbox->taken == std::uint64_t{producers} * items);
    CHECK(!mailbox->ring.looks_nonempty());
  }
}

TEST_CASE("ring: looks half free from when half of it has been taken")
{
  Ring<std::uint64_t, 8> ring;
  const auto push = [&ring](std::uint64_t value) {
    return ring.try_push([value](std::uint64_t& cell) { cell = value; }, yield_for_room);
  };
  for (std::uint64_t i = 0; i < 5; ++i) {
    CHECK(ring.beyond_half() == 0);
    CHECK(push(i));
  }
  CHECK(ring.beyond_half() == 1);
  while (push(0)) {
  }
  CHECK(ring.beyond_half() == 4);
  for (int i = 0; i < 3; ++i) ring.pop();
  CHECK(ring.beyond_half() == 1);
  ring.pop();
  CHECK(ring.beyond_half() == 0);
}

TEST_CASE("ring: trains of up to half a ring among single items, consumers that change by token")
{
  constexpr std::uint32_t trains = 3000, cells_of_ring = 32;
  const unsigned seed = std::random_device{}();
  MESSAGE("seed ", seed);
  struct Cars {
    Ring<Item, cells_of_ring> ring;
    Token<> token;
    std::array<std::uint32_t, producers> next{};
    std::uint64_t taken = 0, wrong = 0;
  };
  const auto cells_of = [&](std::uint32_t producer, std::uint32_t number) {
    return 1 + (seed + producer * 7 + number * 13) % (number % 3 == 0 ? cells_of_ring / 2 : 3);
  };
  auto cars = std::make_unique<Cars>();
  const auto take_one = [&] {
    const TokenGuard guard(cars->token);
    const Item* const item = guard ? cars->ring.front() : nullptr;
    if (!item) return;
    const std::uint32_t cells = cells_of(item->producer, item->number);
    if (!intact(*item) || item->number != cars->next[item->producer]++) ++cars->wrong;
    for (std::uint32_t i = 1; i < cells; ++i) {
      const Item& behind = cars->ring.behind_front(i);
      if (!intact(behind) || behind.producer != item->producer + i || behind.number != item->number)
        ++cars->wrong;
    }
    ++cars->taken;
    cars->ring.pop(cells);
  };
  run_threads(producers, [&](int t) {
    const auto me = static_cast<std::uint32_t>(t);
    for (std::uint32_t number = 0; number < trains;) {
      const bool pushed = cars->ring.try_push_train(
          cells_of(me, number), [&](Item& cell) { cell = make_item(me, number); },
          [&](Item& cell, std::uint32_t i) { cell = make_item(me + i, number); },
          [&](const auto& lacking) {
            while (lacking() != 0) {
              take_one();
              Native::yield();
            }
          });
      if (pushed) ++number;
      take_one();
      if (!pushed) Native::yield();
    }
  });
  while (cars->ring.front()) take_one();
  CHECK(cars->wrong == 0);
  CHECK(cars->taken == std::uint64_t{producers} * trains);
  CHECK(!cars->ring.looks_claimed());
}

TEST_CASE("ring: producers that find it full take from it themselves")
{
  constexpr std::uint32_t items = 2000;
  auto mailbox = std::make_unique<GuardedRing>(0);
  run_threads(producers, [&](int t) {
    for (std::uint32_t number = 0; number < items;) {
      if (mailbox->ring.try_push([&](Item& cell) { cell = make_item(static_cast<std::uint32_t>(t), number); },
                                 [&](const auto& lacking) {
                                   while (lacking() != 0)
                                     if (mailbox->take(8) == 0) Native::yield();
                                 }))
        ++number;
      else if (mailbox->take(8) == 0)
        Native::yield();
    }
  });
  while (mailbox->ring.looks_nonempty()) mailbox->take(64);
  CHECK(mailbox->wrong == 0);
  CHECK(mailbox->taken == std::uint64_t{producers} * items);
}

TEST_CASE("waiting line: a poster and takers that change by token, more threads than cores")
{
  constexpr std::uint32_t count = 20000;
  constexpr int takers = 4;
  WaitingLine<Item, 8> line;
  Token<> token;
  std::vector<Item> items(count);
  std::uint32_t taken = 0, wrong = 0;
  std::atomic<bool> all = false;
  const auto take_all = [&] {
    while (const Item* const item = line.first()) {
      if (!intact(*item) || item->number != taken++) ++wrong;
      line.pop();
    }
    // Sometimes somebody wants more.
    if (taken % 3 == 0)
      line.want_none();
    else if (line.want(taken % 3 == 1 ? Wanted::at_once : Wanted::at_leisure, false) && !line.first())
      ++wrong;
    if (taken == count) all = true;
  };
  run_threads(1 + takers, [&](int thread) {
    if (thread > 0) {
      while (!all) {
        if (const TokenGuard<> guard(token); guard) take_all();
        std::this_thread::yield();
      }
      return;
    }
    line.open();
    for (std::uint32_t i = 0; i < count; ++i) {
      items[i] = make_item(0, i);
      while (!line.try_post(items[i])) std::this_thread::yield();
      if (!line.is_wanted_at_once()) continue;
      if (const TokenGuard<> guard(token); guard) take_all();
    }
  });
  CHECK(wrong == 0);
  CHECK(taken == count);
}

TEST_CASE("pile: all put chains and take all, each item is in one hand")
{
  constexpr int threads = 6, rounds = 3000;
  struct Marked {
    Marked* next = nullptr;
    int holder = -1;  // -1: nobody
  };
  const unsigned seed = std::random_device()();
  MESSAGE("seed ", seed);
  std::vector<Marked> items(64);
  Pile<Marked> pile;
  for (Marked& item : items) pile.put(item, item);
  std::atomic<int> wrong = 0;
  run_threads(threads, [&](int me) {
    std::mt19937 random(seed + static_cast<unsigned>(me));
    std::vector<Marked*> held;
    for (int i = 0; i < rounds; ++i) {
      for (Marked* item = pile.take_all(); item; item = item->next) {
        wrong += item->holder != -1;
        item->holder = me;
        held.push_back(item);
      }
      while (!held.empty() && random() % 8 != 0) {
        Marked* first = nullptr;
        Marked* last = held.back();
        for (std::size_t n = 1 + random() % 4; n > 0 && !held.empty(); --n) {
          Marked* const item = held.back();
          held.pop_back();
          wrong += item->holder != me;
          item->holder = -1;
          item->next = first;
          first = item;
        }
        pile.put(*first, *last);
      }
    }
    while (!held.empty()) {
      held.back()->holder = -1;
      pile.put(*held.back(), *held.back());
      held.pop_back();
    }
  });
  std::size_t left = 0;
  for (Marked* item = pile.take_all(); item; item = item->next) ++left;
  CHECK(left == items.size());
  CHECK(wrong == 0);
}

TEST_CASE("parking: random sleepers and wakers, no wake-up is lost")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  // A ball goes from thread to thread: only the one who is named moves, all others sleep, some of them at the
  // same place. A sleep has no time limit to speak of, so a lost wake-up hangs the test.
  constexpr int players = 8;
  constexpr int places = 3;
  constexpr std::uint64_t throws = 600;
  constexpr int no_limit = 1'000'000;
  struct Game {
    Parking<> parking[places];
    Sequence<> ball;           // throw number * players + who has it
    std::uint64_t thrown = 0;  // plain: the ball's holder writes it
  };
  auto game = std::make_unique<Game>();
  run_threads(players, [&](int me) {
    std::mt19937 random(seed + static_cast<unsigned>(me));
    const auto mine_or_over = [&] {
      const std::uint64_t ball = game->ball.value();
      return ball % players == static_cast<std::uint64_t>(me) || ball / players >= throws;
    };
    for (;;) {
      while (!mine_or_over()) game->parking[me % places].park(mine_or_over, no_limit);
      const std::uint64_t number = game->ball.value() / players;
      if (number >= throws) return;
      ++game->thrown;
      // Some throws come at once, some when the next player is already asleep.
      for (unsigned i = random() % 4; i > 0; --i) Native::yield();
      std::uint64_t to = random() % players;
      if (to == static_cast<std::uint64_t>(me)) to = (to + 1) % players;
      game->ball.publish((number + 1) * players + to);
      if (number + 1 == throws) {
        for (Parking<>& parking : game->parking) parking.notify();
        return;
      }
      game->parking[to % places].notify();
    }
  });
  CHECK(game->thrown == throws);
}

TEST_CASE("parking with a mailbox as the thing to wait for")
{
  constexpr std::uint32_t items = 600;
  constexpr std::uint64_t all = std::uint64_t{producers} * items;
  auto mailbox = std::make_unique<GuardedRing>(0);
  Parking<> parking;
  Flag<> complete;
  run_threads(producers + 2, [&](int t) {
    if (t < static_cast<int>(producers)) {
      for (std::uint32_t number = 0; number < items;) {
        if (mailbox->ring.try_push(
                [&](Item& cell) { cell = make_item(static_cast<std::uint32_t>(t), number); },
                yield_for_room)) {
          ++number;
          parking.notify();
        } else {
          Native::yield();
        }
      }
    } else {
      // The owner and a helper, who take small bites and sleep between them. The helper may take the last
      // item.
      while (!complete.is_set()) {
        if (mailbox->take(3) == all) {
          complete.set();
          parking.notify();
        } else if (!parking.park([&] { return complete.is_set() || mailbox->ring.looks_nonempty(); },
                                 1'000'000)) {
          Native::yield();
        }
      }
    }
  });
  CHECK(mailbox->wrong == 0);
  CHECK(mailbox->taken == all);
}

// Two threads hand a number to each other. A nap may miss its wake-up, so the longest is short; but most must
// not, and one that is woken by nothing else lasts for an hour.
TEST_CASE("naps end when they are notified")
{
  constexpr std::uint64_t rounds = 2000;
  constexpr int longest = 20, hour = 3'600'000;  // milliseconds
  Parking<> parking;
  Sequence<> turn;
  const auto begin = std::chrono::steady_clock::now();
  run_threads(2, [&](int t) {
    for (std::uint64_t i = static_cast<std::uint64_t>(t); i < 2 * rounds; i += 2) {
      while (turn.value() != i) parking.nap([&] { return turn.value() == i; }, longest);
      turn.publish(i + 1);
      parking.notify();
    }
  });
  CHECK(std::chrono::steady_clock::now() - begin < rounds * std::chrono::milliseconds(longest) / 2);
  Flag<> woken;
  run_threads(2, [&](int t) {
    if (t == 0) {
      while (!parking.nap([] { return false; }, hour)) {
      }
      woken.set();
    }
    while (!woken.is_set()) {
      parking.notify();
      Native::yield();
    }
  });
  CHECK(!parking.nap([] { return true; }, hour));
}

TEST_CASE("spin lock, counter and flag under contention")
{
  constexpr int threads = 8;
  constexpr int rounds = 3000;
  SpinLock<> lock;
  std::uint64_t plain = 0;
  Counter<> counter(-threads);
  int last = 0;
  Flag<> flag;
  Counter<> firsts;
  std::vector<std::vector<std::int64_t>> taken(threads);
  Counter<> tickets;
  run_threads(threads, [&](int t) {
    for (int i = 0; i < rounds; ++i) {
      const std::lock_guard guard(lock);
      ++plain;
    }
    for (int i = 0; i < rounds; ++i) taken[static_cast<std::size_t>(t)].push_back(tickets.take());
    if (flag.set_first()) firsts.add(1);
    if (counter.add(1) == 0) last = t + 1;
  });
  CHECK(plain == std::uint64_t{threads} * rounds);
  CHECK(last != 0);
  CHECK(firsts.value() == 1);
  std::vector<bool> seen(threads * rounds);
  int distinct = 0;
  for (const auto& numbers : taken)
    for (const std::int64_t number : numbers)
      if (!seen.at(static_cast<std::size_t>(number))) {
        seen[static_cast<std::size_t>(number)] = true;
        ++distinct;
      }
  CHECK(distinct == threads * rounds);
}

// Some wait in line, some take it only at once; tickets wrap on the way.
TEST_CASE("fair lock: writers are alone, with more threads than cores")
{
  constexpr int threads = 6;
  constexpr int rounds = 2000;
  FairLock<> lock((FairLock<>::Ticket{1} << 32) - 500);
  std::uint64_t first = 0, second = 0;  // alike whenever no writer is inside
  Counter<> written, torn;
  const auto wait = [](auto&& has_turn) {
    while (!has_turn()) Native::yield();
  };
  run_threads(threads, [&](int t) {
    std::minstd_rand random(static_cast<unsigned>(t + 1));
    for (int i = 0; i < rounds; ++i) {
      const bool tries = random() % 2 == 0;
      if (random() % 4 == 0) {
        FairLock<>::Ticket ticket;
        if (!tries || !lock.try_lock(ticket)) {
          ticket = lock.draw();
          wait([&] { return lock.has_turn(ticket); });
        }
        ++first;
        ++second;
        lock.leave(ticket);
        written.add(1);
        continue;
      }
      if (!tries || !lock.try_lock_shared()) {
        const auto ticket = lock.draw_shared();
        wait([&] { return lock.has_shared_turn(ticket); });
      }
      if (first != second) torn.add(1);
      if (!ranklet::thread_sanitized && i % 2 == 0)
        lock.fence_and_leave_shared();
      else
        lock.leave_shared();
    }
  });
  CHECK(torn.value() == 0);
  CHECK(first == static_cast<std::uint64_t>(written.value()));
  CHECK(second == first);
  FairLock<>::Ticket ticket;
  CHECK(lock.try_lock(ticket));
}

// More threads than cores: several of each side share the partitions of a round, as in partitioned
// communication.
TEST_CASE("meetings: each is ended once per round by whoever comes second")
{
  constexpr int meetings = 64;
  constexpr int rounds = 300;
  constexpr int team = 4;  // threads of each side
  std::vector<Meeting<>> word(meetings);
  std::vector<int> prepared[2] = {std::vector<int>(meetings), std::vector<int>(meetings)};
  Counter<> left(meetings);
  Counter<> wrong;
  Sequence<> ended;
  run_threads(2 * team, [&](int t) {
    const unsigned side = t % 2 == 0 ? 0 : 1;
    for (int round = 1; round <= rounds; ++round) {
      for (int m = t / 2; m < meetings; m += team) {
        prepared[side][static_cast<std::size_t>(m)] = round;
        const auto arrival = word[static_cast<std::size_t>(m)].arrive(side, round % 2 == 1);
        if (arrival == Meeting<>::Arrival::again) wrong.add(1);
        if (arrival != Meeting<>::Arrival::second) continue;
        for (const auto& values : prepared)
          if (values[static_cast<std::size_t>(m)] != round) wrong.add(1);
        if (left.add(-1) != 0) continue;
        left.add(meetings);
        ended.publish(static_cast<std::uint64_t>(round));
      }
      while (ended.value() < static_cast<std::uint64_t>(round)) std::this_thread::yield();
    }
  });
  CHECK(wrong.value() == 0);
  CHECK(left.value() == meetings);
}

TEST_CASE("what is made lazily: a maker that fails leaves it to the next one, and there is one for all")
{
  Lazy<std::vector<int>> lazy;
  CHECK_THROWS_AS(lazy.get([]() -> std::unique_ptr<std::vector<int>> { throw std::bad_alloc(); }),
                  std::bad_alloc);
  constexpr int team = 8;
  std::array<std::vector<int>*, team> seen{};
  run_threads(team, [&](int t) {
    seen[static_cast<std::size_t>(t)] = &lazy.get([t] { return std::make_unique<std::vector<int>>(100, t); });
  });
  for (std::vector<int>* const each : seen) CHECK(each == seen[0]);
  CHECK(seen[0]->size() == 100);
  CHECK(seen[0]->front() == seen[0]->back());
}

TEST_SUITE_END();
