// Cells that spill, in all executions: small nonblocking reductions, whose members start more than the others
// have completed.
#include <array>
#include <vector>

#include "members/spilling_cells.hpp"
#include "memmodel/walks.hpp"

namespace spilling_cells_walk {

using namespace ranklet::explore;

namespace {

struct Cell {
  ranklet::memmodel::Sequence<Explored> turn;
  Explored::data<int> operand;
};
using Lines = ranklet::members::SpillingCells<Cell, 1, Explored>;

// Locations: the turn of the writer's cell, the last number spilled, the lock; then what readers have left.
// What is spilled has a turn of its own, which nobody uses.
enum Location { turn = 0, last_spilled = 2, lock = 3, left = 5 };

enum class Fault { none, never_spills, leaves_early, shows_before_it_fills };

// A writer shows so many contents without waiting; a reader reads each when it is there, and leaves it.
auto exchanges(int contents, Fault fault)
{
  return [=](Scenario& scenario) {
    struct State {
      Lines writer, reader;
    };
    auto s = std::make_shared<State>();
    scenario.thread([=] {
      for (int n = 1; n <= contents; ++n) {
        const auto number = static_cast<std::uint64_t>(n);
        const bool has_room =
            s->writer.find_room(
                number, 1, [=](int) -> auto& { return s->reader.left(); }, [](auto&& done) { done(); }) ||
            fault == Fault::never_spills;
        const auto fill = [=](Cell& cell) { cell.operand.set(10 * n); };
        Cell* shown = nullptr;
        s->writer.show(number, has_room, [&](Cell& cell) {
          shown = &cell;
          if (fault != Fault::shows_before_it_fills) fill(cell);
        });
        if (fault == Fault::shows_before_it_fills) fill(*shown);
      }
    });
    scenario.thread([=] {
      for (int n = 1; n <= contents; ++n) {
        const auto number = static_cast<std::uint64_t>(n);
        if (fault == Fault::leaves_early) s->reader.leave(number);
        const Cell* found = nullptr;
        Explored::await([&] { return (found = s->writer.find(number)) != nullptr; });
        Explored::check(found->operand.get() == 10 * n, "another number's content");
        s->reader.leave(number);
      }
    });
  };
}

// The writer leaves number 2 out; a reader that has not left 1 asks for it.
void left_out(Scenario& scenario)
{
  struct State {
    Lines writer, reader;
  };
  auto s = std::make_shared<State>();
  scenario.thread([=] {
    for (const int n : {1, 3}) {
      const auto number = static_cast<std::uint64_t>(n);
      const bool has_room = s->writer.find_room(
          number, 1, [=](int) -> auto& { return s->reader.left(); }, [](auto&& done) { done(); });
      s->writer.show(number, has_room, [&](Cell& cell) { cell.operand.set(10 * n); });
    }
  });
  scenario.thread([=] {
    const auto check = [&](std::uint64_t number, const Cell* found) {
      Explored::check(found->operand.get() == 10 * static_cast<int>(number), "another number's content");
    };
    const Cell* found = nullptr;
    Explored::await([&] { return (found = s->writer.find(3)) != nullptr; });
    check(3, found);
    Explored::check(s->writer.find(2) == nullptr, "what was left out is found");
    check(1, s->writer.find(1));
  });
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("spilling cells: who is ahead of the readers does not wait")
{
  expect_correct("2 contents in 1 cell", {}, exchanges(2, Fault::none));
  expect_correct("3 contents in 1 cell", {}, exchanges(3, Fault::none), {Memory::interleaved});
  expect_correct("contents left out", {}, left_out);
}

TEST_CASE("spilling cells: a planted fault is found")
{
  expect_failure("contents never spilled", {}, exchanges(3, Fault::never_spills), "nobody can go on");
  expect_failure("contents left before they are read", {}, exchanges(2, Fault::leaves_early), "");
  expect_failure("contents shown before they are there", {}, exchanges(1, Fault::shows_before_it_fills), "");
  for (Location location : {turn, left})
    for (Access access : {Access::store, Access::load})
      expect_failure("contents, relaxed " + std::to_string(location), relaxed_at({}, access, location),
                     exchanges(2, Fault::none), "");
  // Either of the two is enough for the content; the lock is the map's.
  expect_failure("contents, relaxed last and lock", relaxed_at({}, Access::store, {last_spilled, lock}),
                 exchanges(2, Fault::none), "data race");
}

TEST_SUITE_END();

namespace {

struct PlainCell {
  ranklet::memmodel::Sequence<> turn;
};
using FourCells = ranklet::members::SpillingCells<PlainCell, 4>;

// The numbers at which a writer of `contents` spends moments for its reader, as often as it does, and those
// that are spilled. moment(reader, number) is called in each.
template <class Moment>
std::vector<std::uint64_t> moments_of(std::uint64_t contents, Moment&& moment,
                                      std::vector<std::uint64_t>& spilled, bool reads_itself = true)
{
  FourCells writer, reader;
  std::vector<std::uint64_t> moments;
  for (std::uint64_t number = 1; number <= contents; ++number) {
    const bool has_room = writer.find_room(
        number, 1, [&](int) -> auto& { return reader.left(); },
        [&](auto&& done) {
          moments.push_back(number);
          moment(reader, number);
          done();
        });
    if (!has_room) spilled.push_back(number);
    writer.show(number, has_room, [](PlainCell&) {});
    if (reads_itself) writer.leave(number);
  }
  return moments;
}

}  // namespace

TEST_CASE(
    "spilling cells: who is ahead spends moments for readers that come on, until half of the cells are free")
{
  std::vector<std::uint64_t> spilled;
  const auto comes_on = [](FourCells& reader, std::uint64_t) { reader.leave(reader.left().value() + 1); };
  CHECK(moments_of(9, comes_on, spilled) == std::vector<std::uint64_t>{5, 5, 5, 8, 8, 8});
  CHECK(spilled.empty());
}

TEST_CASE(
    "spilling cells: a moment in vain is spent again twice as many contents later, or for one who has come "
    "on")
{
  std::vector<std::uint64_t> spilled;
  const auto stays = [](FourCells&, std::uint64_t) {};
  CHECK(moments_of(70, stays, spilled) == std::vector<std::uint64_t>{5, 9, 17, 33, 65});
  CHECK(spilled.size() == 66);
  spilled.clear();
  const auto comes_once = [](FourCells& reader, std::uint64_t number) {
    if (number == 17) reader.leave(15);
  };
  CHECK(moments_of(26, comes_once, spilled) == std::vector<std::uint64_t>{5, 9, 17, 21, 25});
}

TEST_CASE("spilling cells: no moment is spent for what the member itself is still to read")
{
  std::vector<std::uint64_t> spilled;
  const auto stays = [](FourCells&, std::uint64_t) {};
  CHECK(moments_of(20, stays, spilled, false).empty());
  CHECK(spilled.size() == 16);
}

}  // namespace spilling_cells_walk
