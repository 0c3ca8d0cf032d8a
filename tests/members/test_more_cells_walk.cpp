// A member that runs ahead of its readers into more cells, in all executions.
#include <doctest/doctest.h>

#include <array>

#include "members/more_cells.hpp"
#include "memmodel/lazy.hpp"
#include "memmodel/walks.hpp"

namespace more_cells_walk {

using namespace ranklet::explore;

namespace {

struct Cell {
  ranklet::memmodel::Sequence<Explored> turn;
  Explored::data<int> operand;
};
using Rounds = ranklet::members::Rounds<Cell, 1, Explored>;
constexpr std::uint64_t more_depth = 2;
using MoreCells = ranklet::members::MoreCells<Cell, more_depth, Explored>;

// What a test plants, in place of what coll::Round does.
enum class Fault { none, does_not_wait_for_room, reader_looks_once_for_the_cells };

// Member 0 sends to all: from the second round on in more cells, if the first one is not read yet.
auto broadcasts(int members, int rounds, Fault fault)
{
  return [=](Scenario& scenario) {
    struct State {
      std::array<Rounds, 3> of;
      ranklet::memmodel::Lazy<MoreCells, Explored> more;
      Rounds& at(int member) { return of[static_cast<std::size_t>(member)]; }
    };
    auto s = std::make_shared<State>();
    const auto last = static_cast<std::uint64_t>(rounds);
    scenario.thread([=] {
      MoreCells* more = nullptr;
      std::uint64_t all_done = 0;
      for (std::uint64_t round = 1; round <= last; ++round) {
        Rounds& mine = s->at(0);
        const auto may_fill = [&](auto& cells) { return cells.may_fill(round, all_done); };
        if (!ranklet::members::with_cells(mine, more, may_fill)) {
          if (!more)
            more = &s->more.get([&] { return std::make_unique<MoreCells>(round); });
          else if (fault != Fault::does_not_wait_for_room)
            all_done = ranklet::members::await_room(
                round, round - more_depth, members, 0, [&](int i) -> Rounds& { return s->at(i); }, spinning);
        }
        ranklet::members::with_cells(mine, more, [&](auto& cells) {
          cells.mine(round).operand.set(static_cast<int>(round));
          mine.publish(round, cells);
        });
        mine.finish(round);
      }
    });
    for (int me = 1; me < members; ++me)
      scenario.thread([=] {
        for (std::uint64_t round = 1; round <= last; ++round) {
          Rounds& root = s->at(0);
          const auto cell = [&]() -> const Cell& {
            return ranklet::members::cell_of(root, s->more.look(), round);
          };
          const Cell& first = cell();
          Explored::await([&] {
            const Cell& seen = fault == Fault::reader_looks_once_for_the_cells ? first : cell();
            return seen.turn.value() == round;
          });
          Explored::check(cell().operand.get() == static_cast<int>(round), "another round's data");
          s->at(me).finish(round);
        }
      });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("more cells: readers who come late find each round")
{
  expect_correct("more cells, 1 late reader", {}, broadcasts(2, 4, Fault::none), {Memory::interleaved});
  expect_correct("more cells, 1 late reader, 3 rounds", {}, broadcasts(2, 3, Fault::none),
                 {Memory::store_buffers});
  expect_correct("more cells, 2 late readers, 2 rounds", {}, broadcasts(3, 2, Fault::none),
                 {Memory::interleaved});
  Options options;
  options.stale_reads = 1;
  expect_correct("more cells, 1 late reader, 2 rounds", options, broadcasts(2, 2, Fault::none),
                 {Memory::views});
}

TEST_CASE("more cells: a planted fault is found")
{
  expect_failure("more cells, no wait for room", {}, broadcasts(2, 4, Fault::does_not_wait_for_room), "");
  expect_failure("more cells, looked for once", {}, broadcasts(2, 2, Fault::reader_looks_once_for_the_cells),
                 "nobody can go on");
}

TEST_SUITE_END();

}  // namespace more_cells_walk
