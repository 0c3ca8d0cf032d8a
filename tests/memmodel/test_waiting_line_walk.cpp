// WaitingLine as the engines use it, receives that are posted without the token, in all executions: a rank
// that posts them while another thread, which has the token, brings messages; what is kept at that time, and
// what each order and fence is needed for.
#include <array>

#include "memmodel/memmodel.hpp"
#include "walks.hpp"

namespace waiting_line_walk {

using namespace ranklet::explore;
using ranklet::memmodel::Flag;
using ranklet::memmodel::Token;
using ranklet::memmodel::WaitingLine;
using ranklet::memmodel::Wanted;

namespace {

// In order of construction.
enum Location { wanted = 0, is_open = 1, tail = 2, head = 3, token = 4, done = 5 };

enum class Fault { none, keeps_without_a_look, posts_without_a_look, takes_before_kept };

struct Receive {
  Explored::data<int> got;
};

// A place of the line, whose races are found. What the walk sees is the same number in all executions, as
// addresses are not.
class Place {
 public:
  Place& operator=(Receive* receive)
  {
    used_.set(1);
    receive_ = receive;
    return *this;
  }
  operator Receive*() const
  {
    static_cast<void>(used_.get());
    return receive_;
  }

 private:
  Explored::data<int> used_;
  Receive* receive_ = nullptr;
};

struct Case {
  Wanted how = Wanted::at_once;
  int receives = 1;
  bool waits = false;  // the rank, for its receives; else it never comes back
  Fault fault = Fault::none;
};

template <std::uint32_t capacity>
struct State {
  WaitingLine<Receive, capacity, Explored, Place> line;
  Token<Explored> token;
  Flag<Explored> done;
  std::array<Receive, 2> receives;
  // Of the holder of the token: the receives that matching knows, and the messages it keeps, all of which
  // match all receives.
  std::array<Receive*, 2> posted{};
  int posted_first = 0, posted_end = 0, kept_first = 0, kept_end = 0, delivered = 0;

  template <class Act>
  void with_token(Act&& act)
  {
    Explored::await([&] { return token.try_acquire(); });
    act();
    token.release();
  }
  void deliver(Receive& receive, int message)
  {
    Explored::check(message == delivered, "a message overtakes another one");
    Explored::check(&receive == &receives[static_cast<std::size_t>(delivered)],
                    "a receive overtakes another one");
    Explored::check(receive.got.get() == -1, "a receive gets two messages");
    receive.got.set(message);
    if (++delivered == 1) done.set();
  }
  // As Engine::match_new_receives().
  void match_new()
  {
    while (Receive* const receive = line.first()) {
      line.pop();
      match(*receive);
    }
  }
  void match(Receive& receive)
  {
    if (kept_first == kept_end) {
      posted[static_cast<std::size_t>(posted_end++)] = &receive;
      return;
    }
    deliver(receive, kept_first++);
    if (kept_first == kept_end) line.want_none();
  }
  // As Engine::drain(), with one message.
  void bring(int message, const Case& c)
  {
    if (kept_first != kept_end) match_new();
    if (posted_first != posted_end)
      return deliver(*posted[static_cast<std::size_t>(posted_first++)], message);
    do {
      while (Receive* const receive = line.first()) {
        line.pop();
        if (kept_first == kept_end || c.fault == Fault::takes_before_kept) return deliver(*receive, message);
        match(*receive);
      }
    } while (line.want(c.how, false) && c.fault != Fault::keeps_without_a_look);
    if (kept_first == kept_end) kept_first = message;
    kept_end = message + 1;
  }
  // As Engine::post().
  void post(Receive& receive, const Case& c)
  {
    receive.got.set(-1);
    if (!line.is_open()) line.open();
    const bool in_line = line.try_post(receive);
    if (in_line && (c.fault == Fault::posts_without_a_look || !line.is_wanted_at_once())) return;
    with_token([&] {
      match_new();
      if (!in_line) match(receive);
    });
  }
};

// Another thread brings as many messages as the rank posts receives.
template <std::uint32_t capacity>
auto posting(Case c)
{
  return [=](Scenario& scenario) {
    auto s = std::make_shared<State<capacity>>();
    scenario.thread([=] {
      for (int i = 0; i < c.receives; ++i) s->post(s->receives[static_cast<std::size_t>(i)], c);
      if (!c.waits) return;
      Explored::await([&] {
        if (!s->done.is_set() && s->line.looks_wanted() && s->token.try_acquire()) {
          s->match_new();
          s->token.release();
        }
        return s->done.is_set();
      });
      Explored::check(s->receives[0].got.get() == 0, "the message is not seen");
    });
    scenario.thread([=] {
      for (int i = 0; i < c.receives; ++i) s->with_token([&] { s->bring(i, c); });
    });
    scenario.finally([=] {
      if (c.waits) s->match_new();
      Explored::check(s->delivered == c.receives, "a message waits beside its receive");
    });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("waiting line: no message waits beside its receive, though the rank never comes back")
{
  expect_correct("waiting line, 1 in place", {}, posting<2>({}));
  expect_correct("waiting line, 2 in place", {}, posting<2>({.receives = 2}), {Memory::interleaved});
  Options symmetric;
  symmetric.fences = Fences::symmetric;
  expect_correct("waiting line, symmetric fences", symmetric, posting<2>({}), {Memory::store_buffers});
}

TEST_CASE("waiting line: a rank that waits gets what was kept as a copy")
{
  const Case copies{.how = Wanted::at_leisure, .waits = true};
  expect_correct("waiting line, 1 copy", {}, posting<2>(copies),
                 {Memory::interleaved, Memory::store_buffers});
  Options options;
  options.stale_reads = 1;
  expect_correct("waiting line, 1 copy", options, posting<2>(copies), {Memory::views});
}

TEST_CASE("waiting line: more than have room keep their order")
{
  for (const bool waits : {false, true})
    expect_correct(
        "waiting line, 2 in a line of 1", {},
        posting<1>({.how = waits ? Wanted::at_leisure : Wanted::at_once, .receives = 2, .waits = waits}),
        {Memory::interleaved});
}

TEST_CASE("waiting line: each order, fence and look is needed")
{
  for (const Access access : {Access::store, Access::load}) {
    expect_failure("waiting line, relaxed tail", relaxed_at({}, access, tail), posting<2>({}), "data race");
    expect_failure("waiting line, relaxed head", relaxed_at({}, access, head), posting<1>({.receives = 2}),
                   "data race");
  }
  Options options;
  options.memory = Memory::store_buffers;
  options.heavy_fences = false;
  expect_failure("waiting line without heavy fence", options, posting<2>({}), "a message waits");
  options = {};
  options.memory = Memory::store_buffers;
  options.fences = Fences::symmetric;
  options.light_fences = false;
  expect_failure("waiting line without light fence", options, posting<2>({}), "a message waits");
  expect_failure("waiting line, kept without a look", {}, posting<2>({.fault = Fault::keeps_without_a_look}),
                 "a message waits");
  expect_failure("waiting line, posted without a look", {},
                 posting<2>({.fault = Fault::posts_without_a_look}), "a message waits");
  expect_failure("waiting line, taken before what is kept", {},
                 posting<2>({.receives = 2, .fault = Fault::takes_before_kept}), "a message overtakes");
}

TEST_SUITE_END();

}  // namespace waiting_line_walk
