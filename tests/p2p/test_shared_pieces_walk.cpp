// Copies that two or three threads share, in all executions: threads that join early, late or not at all,
// twice with the same memory, and what each of their orders is needed for.
#include <array>

#include "memmodel/walks.hpp"
#include "p2p/shared_pieces.hpp"

namespace shared_pieces_walk {

using namespace ranklet::explore;
using ranklet::Count;
using ranklet::memmodel::Sequence;

namespace {

// In order of construction.
enum Location { offered = 0, failed = 1, claims = 2, done_by_others = 3, posted = 4, complete = 5 };

enum class Fault { none, never_resets, goes_when_it_has_joined };

struct State {
  ranklet::p2p::SharedPieces<Explored> shared;
  // As those of a send request: the number of the message that the sender has posted, and of the last one
  // that is delivered.
  Sequence<Explored> posted, complete;
  std::array<Explored::data<int>, 6> source, destination;

  // What is wrong with a copy shows in the data: a piece that is copied twice or not at all.
  bool copy(Count first, Count n, bool fails)
  {
    for (Count i = first; i < first + n; ++i) {
      const auto piece = static_cast<std::size_t>(i);
      destination[piece].set(destination[piece].get() + source[piece].get());
    }
    return !fails;
  }
};

struct Case {
  Count pieces = 3;
  int messages = 1;
  int joiners = 1;
  bool copies_fail = false;  // those of the sender's side
};

// A sender posts messages from one buffer, and joins until each is complete; the other thread delivers.
auto messages(Case c, Fault fault = Fault::none)
{
  return [=](Scenario& scenario) {
    auto s = std::make_shared<State>();
    const auto is_number = [=](Explored::data<int>& of, Count i, int message) {
      return of.get() == 10 * message + static_cast<int>(i);
    };
    const auto join = [=] {
      return s->shared.join([=](Count first, Count n) { return s->copy(first, n, c.copies_fail); });
    };
    scenario.thread([=] {
      for (int message = 1; message <= c.messages; ++message) {
        const auto number = static_cast<std::uint64_t>(message);
        for (Count i = 0; i < c.pieces; ++i)
          s->source[static_cast<std::size_t>(i)].set(10 * message + static_cast<int>(i));
        if (fault != Fault::never_resets) s->shared.reset();
        s->posted.publish(number);
        Explored::await([&] {
          const bool joined = join();
          return s->complete.value() == number || (joined && fault == Fault::goes_when_it_has_joined);
        });
      }
      // The buffer is the user's again.
      s->source[0].set(0);
    });
    // Another thread of the sender that happens to look.
    for (int i = 1; i < c.joiners; ++i)
      scenario.thread([=] {
        if (s->posted.value() == 1) join();
      });
    scenario.thread([=] {
      for (int message = 1; message <= c.messages; ++message) {
        const auto number = static_cast<std::uint64_t>(message);
        Explored::await([&] { return s->posted.value() == number; });
        for (Count i = 0; i < c.pieces; ++i) s->destination[static_cast<std::size_t>(i)].set(0);
        Count mine = 0;
        const bool copied = s->shared.offer(c.pieces, [&](Count first, Count n) {
          mine += n;
          return s->copy(first, n, false);
        });
        Explored::check(copied == (!c.copies_fail || mine == c.pieces), "a failure that nobody is told");
        for (Count i = 0; i < c.pieces; ++i)
          Explored::check(is_number(s->destination[static_cast<std::size_t>(i)], i, message),
                          "a wrong piece");
        s->complete.publish(number);
      }
    });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("shared pieces: each is copied once, whoever comes when")
{
  expect_correct("1 piece, 1 message", {}, messages({.pieces = 1}));
  expect_correct("3 pieces, 1 message", {}, messages({.pieces = 3}),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("6 pieces, 1 message", {}, messages({.pieces = 6}),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("1 piece, 2 messages", {}, messages({.pieces = 1, .messages = 2}),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("2 pieces, 2 who join", {}, messages({.pieces = 2, .joiners = 2}),
                 {Memory::interleaved, Memory::store_buffers});
  expect_correct("2 pieces, no memory", {}, messages({.pieces = 2, .copies_fail = true}));
}

TEST_CASE("shared pieces: a planted fault is found")
{
  expect_failure("pieces, never reset", {}, messages({.messages = 2}, Fault::never_resets), "data race");
  expect_failure("pieces, the sender does not wait", {}, messages({}, Fault::goes_when_it_has_joined),
                 "data race");
  const auto relaxed = [](const char* what, Access access, int location) {
    expect_failure(std::string("pieces, relaxed ") + what, relaxed_at({}, access, location), messages({}),
                   "");
  };
  relaxed("offered store", Access::store, offered);
  relaxed("offered load", Access::load, offered);
  relaxed("done add", Access::update, done_by_others);
  relaxed("done load", Access::load, done_by_others);
}

TEST_SUITE_END();

}  // namespace shared_pieces_walk
