// Two members who give each other blocks that they swap, in all executions.
#include <memory>

#include "members/swapped_blocks.hpp"
#include "memmodel/walks.hpp"

namespace swapped_blocks_walk {

using namespace ranklet::explore;

namespace {

struct Block {
  Explored::data<int> value;
};
using Blocks = ranklet::members::SwappedBlocks<Block, Explored>;

enum class Fault { none, swaps_early, keeps_its_own };

// So many rounds, in each of which both show a block, by its address, and read the other's. fails: the round
// after which member 0 forgets what it has.
auto rounds(int count, Fault fault, int fails = 0)
{
  struct State {
    Blocks blocks;
    struct Member {
      // Of each round: the protocol lies on a line for each, as boards and cells have their own walks.
      ranklet::memmodel::Sequence<Explored> shown;
      Block* at[4] = {};
    } members[2];
  };
  return [=](Scenario& scenario) {
    auto s = std::make_shared<State>();
    for (int me = 0; me < 2; ++me)
      scenario.thread([=] {
        auto& mine = s->members[me];
        auto& other = s->members[1 - me];
        for (int round = 1; round <= count; ++round) {
          Block& block = s->blocks.mine(me);
          block.value.set(10 * round + me);
          mine.at[round] = &block;
          mine.shown.publish(static_cast<std::uint64_t>(round));
          Explored::await([&] { return other.shown.value() >= static_cast<std::uint64_t>(round); });
          Block& theirs = *other.at[round];
          if (fault == Fault::swaps_early && me == 0) {
            s->blocks.swap(me, theirs);
            s->blocks.mine(me).value.set(0);
          }
          Explored::check(theirs.value.get() == 10 * round + 1 - me, "what another round has given");
          if (round == fails && me == 0)
            s->blocks.forget(me);
          else if (fault == Fault::none || (fault == Fault::keeps_its_own && me == 1))
            s->blocks.swap(me, theirs);
        }
      });
  };
}

}  // namespace

TEST_SUITE_BEGIN("walk");

TEST_CASE("swapped blocks: each reads what the other has given in that round")
{
  expect_correct("swapped, 2 rounds", {}, rounds(2, Fault::none));
  expect_correct("swapped, 3 rounds", {}, rounds(3, Fault::none), {Memory::interleaved});
  expect_correct("swapped, one forgets", {}, rounds(3, Fault::none, 1), {Memory::interleaved});
}

TEST_CASE("swapped blocks: a planted fault is found")
{
  expect_failure("swapped and written before it is read", {}, rounds(1, Fault::swaps_early), "");
  expect_failure("one swaps, the other does not", {}, rounds(3, Fault::keeps_its_own), "");
  for (Access access : {Access::store, Access::load})
    expect_failure("swapped, relaxed", relaxed_at({}, access, 1), rounds(2, Fault::none), "");
}

TEST_SUITE_END();

}  // namespace swapped_blocks_walk
