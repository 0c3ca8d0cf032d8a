// Pile in all executions of two that put and one or two that take.
#include <array>

#include "memmodel/memmodel.hpp"
#include "walks.hpp"

using namespace ranklet::explore;
using ranklet::memmodel::Pile;

namespace {

struct Piled;

// Its races are found; what the walk sees of it is the same in all executions, as addresses are not.
class Link {
 public:
  Link& operator=(Piled* next)
  {
    written_.set(1);
    next_ = next;
    return *this;
  }
  operator Piled*() const
  {
    Explored::check(written_.get() == 1, "a link is not seen whole");
    return next_;
  }

 private:
  Explored::data<int> written_;
  Piled* next_ = nullptr;
};

struct Piled {
  Link next;
  Explored::data<int> content;
};

// Location 0: the top. One thread puts a chain of two, another one single items; others take.
auto piled(int singles, int takers = 1)
{
  return [=](Scenario& scenario) {
    struct State {
      Pile<Piled, Explored> pile;
      std::array<Piled, 4> items;
      std::array<Explored::data<int>, 4> taken;

      void take_all()
      {
        for (Piled* item = pile.take_all(); item;) {
          const int content = item->content.get();
          Explored::check(content > 0, "an item is not seen whole");
          Explored::data<int>& times = taken[static_cast<std::size_t>(content - 1)];
          times.set(times.get() + 1);
          item = item->next;
        }
      }
    };
    auto s = std::make_shared<State>();
    scenario.thread([=] {
      s->items[0].content.set(1);
      s->items[1].content.set(2);
      s->items[0].next = &s->items[1];
      s->pile.put(s->items[0], s->items[1]);
    });
    scenario.thread([=] {
      for (int i = 2; i < 2 + singles; ++i) {
        Piled& item = s->items[static_cast<std::size_t>(i)];
        item.content.set(i + 1);
        s->pile.put(item, item);
      }
    });
    for (int t = 0; t < takers; ++t) scenario.thread([=] { s->take_all(); });
    scenario.finally([=] {
      s->take_all();
      for (int i = 0; i < 2 + singles; ++i)
        Explored::check(s->taken[static_cast<std::size_t>(i)].get() == 1, "an item is not taken once");
    });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("pile: each item is taken once, and seen whole")
{
  expect_correct("pile, one and a chain", {}, piled(1));
  expect_correct("pile, two and a chain", {}, piled(2), {Memory::interleaved, Memory::store_buffers});
  expect_correct("pile, two takers", {}, piled(1, 2));
}

TEST_CASE("pile: its order is needed")
{
  Options options;
  options.memory = Memory::views;
  expect_failure("pile, relaxed exchanges", relaxed_at(options, Access::update, 0), piled(1), "data race");
}

TEST_SUITE_END();
