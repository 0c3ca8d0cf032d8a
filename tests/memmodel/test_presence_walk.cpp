// Threads that come and go while another one wants the place empty, in all executions.
#include <array>

#include "memmodel/presence.hpp"
#include "walks.hpp"

using namespace ranklet::explore;
using ranklet::memmodel::Flag;
using ranklet::memmodel::Presence;

namespace {

// Locations: the word of the place's parking, what was said, the counts.
constexpr int first_count = 2;

// As a job is cancelled: one says so and waits until nobody is inside, then changes the buffers. A thread
// that comes in looks whether it was said before it works in them. looks_first, a mistake: it looks before it
// is counted.
template <bool looks_first>
auto cancelled(int members)
{
  return [=](Scenario& scenario) {
    struct State {
      Presence<Explored> place;
      Flag<Explored> said;
      std::array<Presence<Explored>::Count, 2> inside;
      std::array<Explored::data<int>, 2> buffer;
    };
    auto s = std::make_shared<State>();
    const auto is_empty = [=] {
      for (int i = 0; i < members; ++i)
        if (s->inside[static_cast<std::size_t>(i)].value() != 0) return false;
      return true;
    };
    for (int i = 0; i < members; ++i)
      scenario.thread([=] {
        auto& inside = s->inside[static_cast<std::size_t>(i)];
        const auto was_said = [&] { return s->said.is_set(); };
        if (looks_first && was_said()) return;
        Presence<Explored>::enter(inside);
        if (looks_first || !was_said()) s->buffer[static_cast<std::size_t>(i)].set(1);
        s->place.leave(inside, was_said, is_empty);
      });
    scenario.thread([=] {
      s->said.set();
      Explored::await([&] { return !s->place.await_empty(is_empty, 50); });
      for (int i = 0; i < members; ++i) s->buffer[static_cast<std::size_t>(i)].set(2);
    });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("presence: a place is empty before it is cleared, and who waits for that is woken")
{
  for (Fences fences : {Fences::asymmetric, Fences::symmetric}) {
    Options options;
    options.fences = fences;
    expect_correct("presence, 1 thread", options, cancelled<false>(1));
    expect_correct("presence, 2 threads", options, cancelled<false>(2),
                   {Memory::interleaved, Memory::store_buffers});
  }
}

TEST_CASE("presence: each fence and order is needed")
{
  Options options;
  options.memory = Memory::views;
  options.light_fences = false;
  options.fences = Fences::symmetric;
  expect_failure("presence without the light fences", options, cancelled<false>(1), "nobody can go on");
  options.light_fences = true;
  options.heavy_fences = false;
  options.fences = Fences::asymmetric;
  expect_failure("presence without the heavy fences", options, cancelled<false>(1), "nobody can go on");
  options.heavy_fences = true;
  expect_failure("presence, relaxed counting", relaxed_at(options, Access::update, first_count),
                 cancelled<false>(1), "data race");
  expect_failure("presence, relaxed look at the count", relaxed_at(options, Access::load, first_count),
                 cancelled<false>(1), "data race");
  expect_failure("presence, looked at before it is entered", options, cancelled<true>(1), "data race");
}

TEST_SUITE_END();
