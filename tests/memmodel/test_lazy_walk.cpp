// Lazy in all executions of two or three threads.
#include "memmodel/memmodel.hpp"
#include "walks.hpp"

using namespace ranklet::explore;
using ranklet::memmodel::Lazy;

namespace {

struct Made {
  explicit Made(int value) { number.set(value); }
  Explored::data<int> number;
};

// Every thread gets what one of them has made, sees what its maker wrote, and gets the same again. Location
// 0: the pointer.
auto lazy(int threads)
{
  return [=](Scenario& scenario) {
    struct State {
      Lazy<Made, Explored> lazy;
      Made* seen[3] = {};
    };
    auto s = std::make_shared<State>();
    for (int t = 0; t < threads; ++t)
      scenario.thread([=] {
        Made& made = s->lazy.get([t] { return std::make_unique<Made>(t + 1); });
        Explored::check(made.number.get() > 0, "what was made is not seen whole");
        s->seen[t] = &made;
        Explored::check(&s->lazy.get([] { return std::make_unique<Made>(0); }) == &made, "another one later");
      });
    scenario.finally([=] {
      for (int t = 1; t < threads; ++t) Explored::check(s->seen[t] == s->seen[0], "two were made");
    });
  };
}

// One makes it while another one looks.
auto looking()
{
  return [=](Scenario& scenario) {
    auto s = std::make_shared<Lazy<Made, Explored>>();
    scenario.thread([=] { s->get([] { return std::make_unique<Made>(1); }); });
    scenario.thread([=] {
      const Made* const made = s->look();
      Explored::check(!made || made->number.get() == 1, "what was made is not seen whole");
    });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("lazy: who looks sees nothing, or all")
{
  expect_correct("lazy, a look", {}, looking());
  Options options;
  options.memory = Memory::views;
  expect_failure("lazy, a relaxed look", relaxed_at(options, Access::load, 0), looking(), "data race");
}

TEST_CASE("lazy: all get one")
{
  expect_correct("lazy, 2 threads", {}, lazy(2));
  expect_correct("lazy, 3 threads", {}, lazy(3), {Memory::interleaved, Memory::store_buffers});
}

TEST_CASE("lazy: each of its orders is needed")
{
  Options options;
  options.memory = Memory::views;
  expect_failure("lazy, relaxed load", relaxed_at(options, Access::load, 0), lazy(2), "data race");
  expect_failure("lazy, relaxed exchange", relaxed_at(options, Access::update, 0), lazy(2), "data race");
}

TEST_SUITE_END();
