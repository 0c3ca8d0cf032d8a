// Mailbox in all executions of two owners that send to each other, by shuttle and ring.
#include <cstddef>
#include <new>

#include "memmodel/memmodel.hpp"
#include "walks.hpp"

using namespace ranklet::explore;
using ranklet::memmodel::Token;
using ranklet::memmodel::TokenGuard;

namespace {

struct Letter {
  Explored::data<int> item;
};
struct Enclosed {
  Explored::data<int> more;
};

using WalkedMailbox = ranklet::memmodel::Mailbox<Letter, Enclosed, 2, Explored>;

// Locations in order of construction, of each owner.
enum Place {
  place_of_first_turn,
  place_of_second_turn,
  place_of_tail,
  place_of_limit,
  place_of_head,
  place_of_shuttle,
  place_of_awaited,
  place_of_is_taken,
  place_of_word,
  place_of_guest,
  place_of_at_ends,
  place_of_token,
  places
};

struct Owner {
  WalkedMailbox mailbox;
  Token<Explored> token;
  int taken = 0;       // the token's holder's
  int by_shuttle = 0;  // that were sent

  // Sends item after item in either way.
  void send(Owner& to, int item)
  {
    if (mailbox.shuttles_to(to.mailbox) &&
        mailbox.try_shuttle(to.mailbox, [&](Letter& payload, Enclosed& extra) {
          payload.item.set(item);
          extra.more.set(item + 100);
        })) {
      ++by_shuttle;
      return;
    }
    Explored::await(
        [&] { return to.mailbox.try_push([&](Letter& payload) { payload.item.set(item); }, await_room); });
  }

  // By the token's holder: what the other one has sent comes in its order.
  bool take()
  {
    Letter* const payload = mailbox.front();
    if (!payload) return false;
    Explored::check(payload->item.get() == taken, "an item is lost, doubled or out of order");
    if (Enclosed* const extra = mailbox.extra_of(*payload))
      Explored::check(extra->more.get() == taken + 100, "what is behind an item is not seen whole");
    mailbox.pop(*payload);
    ++taken;
    return true;
  }
  void await(int items)
  {
    Explored::await([&] {
      const TokenGuard<Explored> guard(token);
      if (guard) take();
      return guard && taken >= items;
    });
  }
};

struct Pair {
  Owner host, guest;
  void check_empty(int to_host, int to_guest)
  {
    Explored::check(host.taken == to_host && guest.taken == to_guest, "an item is missing");
    for (Owner* owner : {&host, &guest})
      Explored::check(
          !owner->mailbox.looks_claimed() && !owner->mailbox.looks_nonempty() && !owner->mailbox.front(),
          "the empty mailbox looks full");
  }
};

// Mailboxes hold addresses of each other, which have to be the same in all executions.
template <class State>
std::shared_ptr<State> in_one_place()
{
  alignas(State) static std::byte place[sizeof(State)];
  return {new (place) State, [](State* state) { state->~State(); }};
}

// The host sets the shuttle up and sends 1 + more items in each round, of which the guest answers one, having
// taken the others or not. helper: a third thread takes items of the guest now and then.
auto talk(int rounds, int more, bool helper = false)
{
  return [=](Scenario& scenario) {
    const auto s = in_one_place<Pair>();
    scenario.thread([=] {
      Explored::check(s->host.mailbox.invite(s->guest.mailbox), "nobody has a shuttle yet");
      int sent = 0;
      for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < 1 + more; ++i) s->host.send(s->guest, sent++);
        s->host.await(round + 1);
      }
    });
    scenario.thread([=] {
      for (int round = 0; round < rounds; ++round) {
        s->guest.await(round * (1 + more) + 1);
        s->guest.send(s->host, round);
      }
      s->guest.await(rounds * (1 + more));
    });
    if (helper)
      scenario.thread([=] {
        const TokenGuard<Explored> guard(s->guest.token);
        if (guard && s->guest.mailbox.looks_nonempty()) s->guest.take();
      });
    scenario.finally([=] {
      Explored::check(s->host.by_shuttle > 0, "the shuttle is empty at first");
      s->check_empty(rounds, rounds * (1 + more));
    });
  };
}

// Another thread takes an item for the guest, who answers once it is told so, whether that one has given the
// item back or not.
void delivered(Scenario& scenario)
{
  struct State : Pair {
    ranklet::memmodel::Flag<Explored> told;
  };
  const auto s = in_one_place<State>();
  scenario.thread([=] {
    s->host.mailbox.invite(s->guest.mailbox);
    s->host.send(s->guest, 0);
  });
  scenario.thread([=] {
    Letter* letter = nullptr;
    Explored::await([&] { return (letter = s->guest.mailbox.front()) != nullptr; });
    s->told.set();
    Explored::check(letter->item.get() == 0, "an item is written while it is read");
    s->guest.mailbox.pop(*letter);
    ++s->guest.taken;
  });
  scenario.thread([=] {
    Explored::await([&] { return s->told.is_set(); });
    s->guest.send(s->host, 0);
  });
  scenario.finally([=] {
    Explored::check(s->host.take(), "an item is missing");
    s->check_empty(1, 1);
  });
}

// The host leaves as soon as it may, behind an item and its answer; then the guest sets one up. Counts the
// executions in which it does.
auto leaving(int& set_up)
{
  return [&](Scenario& scenario) {
    const auto s = in_one_place<Pair>();
    scenario.thread([=] {
      Explored::check(s->host.mailbox.invite(s->guest.mailbox), "nobody has a shuttle yet");
      s->host.send(s->guest, 0);
      s->host.await(1);
      if (s->host.mailbox.may_leave()) {
        const TokenGuard<Explored> guard(s->host.token);
        if (guard) s->host.mailbox.leave();
      }
      s->host.send(s->guest, 1);
      s->host.await(2);
    });
    scenario.thread([=, &set_up] {
      s->guest.await(1);
      s->guest.send(s->host, 0);
      s->guest.await(2);
      if (s->guest.mailbox.has_shuttle() && s->guest.mailbox.may_leave()) {
        const TokenGuard<Explored> guard(s->guest.token);
        if (guard) s->guest.mailbox.leave();
      }
      if (!s->guest.mailbox.has_shuttle() && !s->host.mailbox.has_shuttle()) {
        Explored::check(s->guest.mailbox.invite(s->host.mailbox), "both have left");
        ++set_up;
      }
      s->guest.send(s->host, 1);
    });
    scenario.finally([=] { s->check_empty(2, 2); });
  };
}

// Both leave it behind an item and its answer, and the host sets it up again.
void returning(Scenario& scenario)
{
  const auto s = in_one_place<Pair>();
  scenario.thread([=] {
    for (int life = 0; life < 2; ++life) {
      Explored::await([&] { return s->host.mailbox.invite(s->guest.mailbox); });
      s->host.send(s->guest, life);
      s->host.await(life + 1);
      if (life > 0) break;
      const TokenGuard<Explored> guard(s->host.token);
      Explored::check(guard && s->host.mailbox.may_leave(), "the turn is the host's");
      s->host.mailbox.leave();
    }
  });
  scenario.thread([=] {
    s->guest.await(1);
    s->guest.send(s->host, 0);
    Explored::await([&] { return s->guest.mailbox.may_leave(); });
    {
      const TokenGuard<Explored> guard(s->guest.token);
      if (guard) s->guest.mailbox.leave();
    }
    s->guest.await(2);
    s->guest.send(s->host, 1);
  });
  scenario.finally([=] {
    Explored::check(s->host.by_shuttle == 2, "the shuttle is empty at first");
    Explored::check(s->host.mailbox.shuttles_to(s->guest.mailbox) && s->guest.mailbox.has_shuttle() &&
                        !s->guest.mailbox.has_ended(),
                    "the second life ends with the first");
    s->check_empty(2, 2);
  });
}

// An item that goes by the ring, before there is a shuttle for the next one. Counts the executions in which
// that goes by it.
auto ring_first(int& by_shuttle)
{
  return [&](Scenario& scenario) {
    const auto s = in_one_place<Pair>();
    scenario.thread([=] {
      s->host.send(s->guest, 0);
      s->host.mailbox.invite(s->guest.mailbox);
      s->host.send(s->guest, 1);
      s->host.await(1);
    });
    scenario.thread([=] {
      s->guest.await(2);
      s->guest.send(s->host, 0);
    });
    scenario.finally([=, &by_shuttle] {
      s->check_empty(1, 2);
      by_shuttle += s->host.by_shuttle;
    });
  };
}

// Both want to set one up.
void inviting(Scenario& scenario)
{
  struct State : Pair {
    bool invited[2] = {false, false};
  };
  const auto s = in_one_place<State>();
  scenario.thread([=] {
    s->invited[0] = s->host.mailbox.invite(s->guest.mailbox);
    s->host.send(s->guest, 0);
    // One that the other has made may not be left: what is awaited there is seen with it.
    if (s->host.mailbox.has_shuttle() && s->host.mailbox.may_leave()) s->host.mailbox.leave();
  });
  scenario.thread([=] {
    s->invited[1] = s->guest.mailbox.invite(s->host.mailbox);
    s->guest.send(s->host, 0);
  });
  scenario.finally([=] {
    Explored::check(!(s->invited[0] && s->invited[1]), "two shuttles between two");
    Explored::check(s->host.take() && s->guest.take(), "an item is missing");
    s->check_empty(1, 1);
  });
}

}  // namespace

TEST_SUITE_BEGIN("walk");

// Nothing here depends on a store being seen before a later load, and store buffers have too many executions.
constexpr std::initializer_list<Memory> two_memories = {Memory::interleaved, Memory::views};

TEST_CASE("mailbox: what two send to each other comes in order, by whichever way")
{
  Options options;
  options.stale_reads = 1;
  expect_correct("mailbox, one and an answer", {}, talk(1, 0), two_memories);
  int by_shuttle = 0;
  expect_correct("mailbox, ring first", options, ring_first(by_shuttle), two_memories);
  CHECK(by_shuttle > 0);
  expect_correct("mailbox, two and an answer", options, talk(1, 1), two_memories);
  expect_correct("mailbox, two rounds", options, talk(2, 0), two_memories);
  expect_correct("mailbox, two rounds of two", {}, talk(2, 1), {Memory::interleaved});
}

TEST_CASE("mailbox: another thread takes for the guest")
{
  expect_correct("mailbox, delivered by another", {}, delivered, two_memories);
  expect_correct("mailbox, with a helper", {}, talk(1, 1, true), {Memory::interleaved});
}

TEST_CASE("mailbox: a shuttle that one leaves, and the next one")
{
  Options options;
  options.stale_reads = 1;
  int set_up = 0;
  expect_correct("mailbox, leaving", options, leaving(set_up), two_memories);
  CHECK(set_up > 0);
  expect_correct("mailbox, returning", options, returning, two_memories);
}

TEST_CASE("mailbox: two that invite each other")
{
  expect_correct("mailbox, inviting", {}, inviting);
}

TEST_CASE("mailbox: the orders of the shuttle are needed")
{
  struct Needed {
    Access access;
    Place place;
    const char* what;
  };
  for (const Needed& order :
       {Needed{Access::store, place_of_word, "word store"}, Needed{Access::load, place_of_word, "word load"}})
    expect_failure(std::string("mailbox, relaxed ") + order.what, relaxed_at({}, order.access, order.place),
                   talk(2, 0), "data race");
  for (const Access access : {Access::load, Access::store})
    expect_failure("mailbox, what is awaited", relaxed_at({}, access, places + place_of_awaited), delivered,
                   "data race");
  // Where the lines are.
  Options options;
  options.memory = Memory::views;
  for (const Access access : {Access::load, Access::store})
    for (const int owner : {0, 1})
      expect_failure("mailbox, whose shuttle", relaxed_at(options, access, owner * places + place_of_shuttle),
                     inviting, owner == 0 ? "an item is missing" : "data race");
}

TEST_SUITE_END();
