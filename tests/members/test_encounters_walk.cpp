// Members who make something without waiting, pairs that meet, and epochs of pairs, in all executions.
#include <array>
#include <memory>

#include "members/announcements.hpp"
#include "members/creations.hpp"
#include "members/pairing.hpp"
#include "memmodel/walks.hpp"

namespace encounters_walk {

using namespace ranklet::explore;

namespace {

// A communicator, with what its maker has written.
struct Child {
  Explored::data<int> context;
};

// Members make `children` communicators each, one after the other, with the same key.
auto creations(int members, int children)
{
  return [=](Scenario& scenario) {
    struct State {
      ranklet::members::Creations<int, Child*, Explored> creations;  // location 0: its lock
      std::array<Child, 4> children;
      Explored::data<int> made;
    };
    auto s = std::make_shared<State>();
    for (int me = 0; me < members; ++me)
      scenario.thread([=] {
        for (int n = 1; n <= children; ++n) {
          Child* const child = s->creations.join(7, members, me, [&] {
            const int number = s->made.get() + 1;
            s->made.set(number);
            Child& made = s->children[static_cast<std::size_t>(number - 1)];
            made.context.set(number);
            return &made;
          });
          Explored::check(child->context.get() == n, "not the n-th creation");
        }
      });
    scenario.finally([=] {
      Explored::check(s->made.get() == children, "made twice");
      Explored::check(s->creations.size() == 0, "a creation is left that all have joined");
    });
  };
}

enum class Fault { none, wakes_before_it_is_done };

// Two leaders meet so many times, each with a number that the result adds up.
auto pairing(int times, Fault fault)
{
  return [=](Scenario& scenario) {
    struct State {
      // Location 0: the lock, then where each party sleeps; the meetings' flags follow.
      ranklet::members::Pairing<int, int, int, Explored::data<int>*, Explored> pairing;
      std::array<ranklet::memmodel::Parking<Explored>, 2> parking;
      std::array<Explored::data<int>, 2> results;
      Explored::data<int> made;
    };
    auto s = std::make_shared<State>();
    for (int me = 0; me < 2; ++me)
      scenario.thread([=] {
        auto& parking = s->parking[static_cast<std::size_t>(me)];
        for (int n = 1; n <= times; ++n) {
          auto* const result = s->pairing.meet(
              me, 1 - me, 5, 10 * n + me,
              [&](int first, int second) {
                if (fault == Fault::wakes_before_it_is_done)
                  s->parking[static_cast<std::size_t>(1 - me)].notify();
                auto& made = s->results[static_cast<std::size_t>(n - 1)];
                made.set(first + second);
                return &made;
              },
              [&](auto&& is_done) {
                Explored::await([&] {
                  if (is_done()) return true;
                  parking.park(is_done);
                  return false;
                });
              },
              [&](int party) {
                if (fault == Fault::none) s->parking[static_cast<std::size_t>(party)].notify();
              });
          Explored::check(result->get() == 20 * n + 1, "another meeting's result");
        }
      });
  };
}

enum class EpochFault { none, posts_before_it_is_ready, completes_before_its_operations, does_not_wait };

// Member 0's memory is written by member 1 in so many epochs, and read by member 0 in between.
auto epochs(int times, EpochFault fault)
{
  return [=](Scenario& scenario) {
    struct State {
      ranklet::members::Epochs<Explored> epochs{2};
      Explored::data<int> memory;
    };
    auto s = std::make_shared<State>();
    // Words are made here, so that their locations have fixed numbers.
    s->epochs.posts(0, 1);
    s->epochs.completions(1, 0);
    scenario.thread([=] {
      ranklet::members::EpochCounts<Explored> counts(s->epochs, 0);
      counts.meet(1);
      for (int n = 1; n <= times; ++n) {
        if (fault == EpochFault::posts_before_it_is_ready) counts.post(1);
        s->memory.set(10 * n);
        if (fault != EpochFault::posts_before_it_is_ready) counts.post(1);
        if (fault != EpochFault::does_not_wait) Explored::await([&] { return counts.has_completed(1); });
        Explored::check(s->memory.get() == 10 * n + 1, "an operation is missing");
      }
    });
    scenario.thread([=] {
      ranklet::members::EpochCounts<Explored> counts(s->epochs, 1);
      counts.meet(0);
      for (int n = 1; n <= times; ++n) {
        const std::uint64_t awaited = counts.start(0);
        Explored::await([&] { return counts.has_posted(0, awaited); });
        if (fault == EpochFault::completes_before_its_operations) counts.complete(0);
        Explored::check(s->memory.get() == 10 * n, "not exposed");
        s->memory.set(10 * n + 1);
        if (fault != EpochFault::completes_before_its_operations) counts.complete(0);
      }
    });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("creations: made once, and all see what the maker did")
{
  expect_correct("creations, 2 members, 2 children", {}, creations(2, 2));
  expect_correct("creations, 3 members, 1 child", {}, creations(3, 1), {Memory::interleaved});
  expect_failure("creations, relaxed unlocking", relaxed_at({}, Access::store, 0), creations(2, 1),
                 "data race");
  expect_failure("creations, relaxed locking", relaxed_at({}, Access::update, 0), creations(2, 1),
                 "data race");
}

TEST_CASE("pairing: two leaders meet once each time, and both have the result")
{
  expect_correct("pairing, 1 meeting", {}, pairing(1, Fault::none));
  expect_correct("pairing, 2 meetings", {}, pairing(2, Fault::none),
                 {Memory::interleaved, Memory::store_buffers});
  expect_failure("pairing, woken too early", {}, pairing(1, Fault::wakes_before_it_is_done),
                 "nobody can go on");
  // The first meeting's flag.
  for (Access access : {Access::store, Access::load})
    expect_failure("pairing, relaxed done", relaxed_at({}, access, 3), pairing(1, Fault::none), "data race");
}

TEST_CASE("announcements: an epoch is open from the post to the completion")
{
  expect_correct("epochs", {}, epochs(1, EpochFault::none));
  expect_correct("2 epochs", {}, epochs(2, EpochFault::none), {Memory::interleaved});
  expect_failure("epochs, posted too early", {}, epochs(1, EpochFault::posts_before_it_is_ready), "");
  expect_failure("epochs, completed too early", {}, epochs(1, EpochFault::completes_before_its_operations),
                 "");
  expect_failure("epochs, not waited for", {}, epochs(1, EpochFault::does_not_wait), "");
  // Locations 0 to 5 are the rows' pointers; then come the words of 0 with itself, and those of the two: 0's
  // post, 1's, 0's completion, 1's.
  for (int location : {10, 13})
    for (Access access : {Access::store, Access::load})
      expect_failure("epochs, relaxed " + std::to_string(location), relaxed_at({}, access, location),
                     epochs(1, EpochFault::none), "data race");
}

TEST_SUITE_END();

}  // namespace encounters_walk
