// Parking in all executions of sleepers and wakers, and the need for each of its fences.
#include <vector>

#include "memmodel/memmodel.hpp"
#include "walks.hpp"

using namespace ranklet::explore;
using ranklet::memmodel::Flag;
using ranklet::memmodel::Parking;
using ranklet::memmodel::Ring;
using ranklet::memmodel::Token;
using ranklet::memmodel::TokenGuard;

namespace {

// Sleeper i waits for flag i; each waker sets its flags, notifying after each.
auto sleepers_and_wakers(int sleepers, std::vector<std::vector<int>> wakers)
{
  return [=](Scenario& scenario) {
    struct State {
      Parking<Explored> parking;
      Flag<Explored> flag[2];
      Explored::data<int> value[2];
    };
    auto s = std::make_shared<State>();
    for (int i = 0; i < sleepers; ++i)
      scenario.thread([=] {
        sleeping(s->parking, [&] { return s->flag[i].is_set(); });
        Explored::check(s->value[i].get() == i + 1, "old value");
      });
    for (const std::vector<int>& flags : wakers)
      scenario.thread([=] {
        for (int i : flags) {
          s->value[i].set(i + 1);
          s->flag[i].set();
          s->parking.notify();
        }
      });
  };
}

// One sleeper that needs both flags, set by two wakers.
void waits_for_both(Scenario& scenario)
{
  struct State {
    Parking<Explored> parking;
    Flag<Explored> flag[2];
  };
  auto s = std::make_shared<State>();
  const auto both = [=] { return s->flag[0].is_set() && s->flag[1].is_set(); };
  scenario.thread([=] { sleeping(s->parking, both); });
  for (int i = 0; i < 2; ++i)
    scenario.thread([=] {
      s->flag[i].set();
      s->parking.notify();
    });
}

// What a waiting rank does: it works off its own mailbox under its token, and sleeps while its request is not
// complete and the mailbox looks empty. Meanwhile another thread helps, at most `helps` times, and leaves.
auto rank_waits_for_mail(int items, int helps)
{
  return [=](Scenario& scenario) {
    struct Payload {
      Explored::data<int> item;
    };
    struct State {
      Parking<Explored> parking;
      Ring<Payload, 2, Explored> mailbox;
      Token<Explored> token;
      Explored::data<int> arrived;
      Flag<Explored> complete;
      // Work of the token's holder.
      void progress(int limit)
      {
        const TokenGuard<Explored> guard(token);
        if (!guard) return;
        for (int i = 0; i < limit && mailbox.front() != nullptr; ++i) {
          arrived.set(arrived.get() + mailbox.front()->item.get());
          mailbox.pop();
          if (arrived.get() != needed) continue;
          complete.set();
          parking.notify();
        }
      }
      int needed = 0;
    };
    auto s = std::make_shared<State>();
    s->needed = items;
    scenario.thread([=] {
      Explored::await([&] {
        s->progress(2);
        if (s->complete.is_set()) return true;
        s->parking.park([&] {
          return s->complete.is_set() ||
                 (helps > 0 ? s->mailbox.looks_claimed() : s->mailbox.looks_nonempty());
        });
        return false;
      });
      Explored::check(s->arrived.get() == s->needed, "complete too early");
    });
    scenario.thread([=] {
      for (int i = 0; i < items; ++i) {
        Explored::await(
            [&] { return s->mailbox.try_push([](Payload& payload) { payload.item.set(1); }, await_room); });
        s->parking.notify();
      }
    });
    if (helps > 0)
      scenario.thread([=] {
        for (int i = 0; i < helps; ++i) s->progress(1);
      });
  };
}

// What ranks do that have sent to a rank that computes: each helps to deliver its message, perhaps the
// other's too, and sleeps only while that mailbox is empty.
void senders_wait_for_delivery(Scenario& scenario)
{
  struct Payload {
    Explored::data<int> sender;
  };
  struct State {
    Parking<Explored> parking[2];  // of the senders
    Ring<Payload, 2, Explored> mailbox;
    Token<Explored> token;
    Flag<Explored> delivered[2];
    void help()
    {
      const TokenGuard<Explored> guard(token);
      if (!guard) return;
      while (Payload* const payload = mailbox.front()) {
        const int sender = payload->sender.get();
        mailbox.pop();
        delivered[sender].set();
        parking[sender].notify();
      }
    }
  };
  auto s = std::make_shared<State>();
  for (int me = 0; me < 2; ++me)
    scenario.thread([=] {
      s->mailbox.try_push([&](Payload& payload) { payload.sender.set(me); }, await_room);
      Explored::await([&] {
        if (s->mailbox.looks_nonempty()) s->help();
        if (s->delivered[me].is_set()) return true;
        s->parking[me].park([&] { return s->delivered[me].is_set() || s->mailbox.looks_claimed(); });
        return false;
      });
    });
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("parking: no wake-up is lost")
{
  for (Fences fences : {Fences::asymmetric, Fences::symmetric}) {
    Options options;
    options.fences = fences;
    expect_correct("parking 1 sleeper, 1 waker", options, sleepers_and_wakers(1, {{0}}));
    expect_correct("parking 1 sleeper of 2 flags", options, waits_for_both);
    expect_correct("parking 2 sleepers, 1 waker", options, sleepers_and_wakers(2, {{0, 1}}),
                   {Memory::interleaved, Memory::store_buffers});
  }
  expect_correct("parking 2 sleepers, 2 wakers", {}, sleepers_and_wakers(2, {{0}, {1}}),
                 {Memory::interleaved});
}

TEST_CASE("parking: each fence and the wake are needed")
{
  for (Memory memory : {Memory::store_buffers, Memory::views}) {
    Options options;
    options.memory = memory;
    options.heavy_fences = false;
    expect_failure("parking without heavy fence", options, sleepers_and_wakers(1, {{0}}), "nobody can go on");
    options.fences = Fences::symmetric;
    // On x86 the sleeper's own read-modify-write would be fence enough.
    if (memory == Memory::views)
      expect_failure("parking without sleeper's fence", options, sleepers_and_wakers(1, {{0}}),
                     "nobody can go on");
    options.heavy_fences = true;
    options.light_fences = false;
    expect_failure("parking without waker's fence", options, sleepers_and_wakers(1, {{0}}),
                   "nobody can go on");
  }
  Options options;
  options.wakes = false;
  expect_failure("parking without wake", options, sleepers_and_wakers(1, {{0}}), "nobody can go on");
}

TEST_CASE("parking: a rank that waits for its mailbox while another thread helps")
{
  expect_correct("rank waits for mail, alone", {}, rank_waits_for_mail(1, 0));
  expect_correct("rank waits for mail, with help", {}, rank_waits_for_mail(1, 1),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("senders wait for delivery", {}, senders_wait_for_delivery, {Memory::interleaved});
  Options options;
  options.memory = Memory::store_buffers;
  options.heavy_fences = false;
  expect_failure("rank waits without heavy fence", options, rank_waits_for_mail(1, 1), "nobody can go on");
}

TEST_SUITE_END();
