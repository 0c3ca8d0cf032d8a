// How members do each other's steps of an operation that all of them have started, each when it liked.
//
// Every member has a slot, which says how far it has come. A waiting thread follows the chain of members that
// wait for each other, from its own slot and as far as they have come, and does the steps of each that no
// other thread does at the moment.
//
// Thread safety: any member's threads. Invariants:
//  1. A slot's stage only grows during the operation; each publishes what the member's steps have written.
//  2. `work` is written by the member before it has come, when nobody else takes its token; from then on only
//     by the token's holder, who sets it to null after the last step. It may be null from the start.
//  3. No thread waits for a token: one that fails to get it leaves the steps to the holder.
#pragma once

#include "memmodel/memmodel.hpp"

namespace ranklet::members {

// Stages of an operation as its slots count; operations have more between them.
struct Stages {
  std::uint64_t none;  // before the member has started
  std::uint64_t come;  // it has started, and shows what it shows
  std::uint64_t done;  // it touches nothing of the others any more
};

// A slot has a Sequence `stage`, a Token `token`, and a pointer `work` to a Work. Work::run() does what can
// be done and returns the step that must wait, with the `member` and the `stage`, counted from `none`, that
// it waits for, or null after the last one, when the work may be gone. A member -1: it waits until all have
// come, and nobody can help.

// What stood in the way at the end: the caller may sleep until that slot reaches the stage. Null: nothing
// that it could sleep for. doubtful: a member that has not come, or waits for all, whom it has found in
// nobody's way; -1: none.
template <class Slot>
struct Obstacle {
  Slot* slot = nullptr;
  std::uint64_t stage = 0;
  int doubtful = -1;

  bool is_gone() const noexcept { return !slot || slot->stage.value() >= stage; }
};

// slot_of(i): member i's slot. is_complete(): whether the caller's own work is done.
template <class Sys, class SlotOf, class IsComplete>
auto help(int me, int members, Stages stages, SlotOf&& slot_of, IsComplete&& is_complete)
{
  Obstacle<std::remove_reference_t<decltype(slot_of(me))>> obstacle;
  int member = me;
  std::uint64_t awaited_stage = 0;
  for (int tries = 2 * members + 2; tries > 0 && !is_complete(); --tries) {
    auto& slot = slot_of(member);
    const memmodel::TokenGuard<Sys> guard(slot.token);
    if (!guard) return obstacle;
    memmodel::invariant_on<Sys>([&] { return member == me || slot.stage.value() >= stages.come; },
                                "only those are helped who have come (2)");
    auto* const work = slot.work;
    if (!work && slot.stage.value() >= stages.done) {
      member = me;
      continue;
    }
    if (!work) {
      // Only its owner may do it.
      obstacle = {&slot, awaited_stage, -1};
      return obstacle;
    }
    const auto* const step = work->run();
    if (!step) {
      member = me;
      continue;
    }
    if (step->member < 0) {
      memmodel::invariant_on<Sys>([&] { return member != me; }, "who waits for all does not help itself");
      obstacle = {&slot, awaited_stage, member};
      return obstacle;
    }
    auto& awaited = slot_of(step->member);
    if (awaited.stage.value() < stages.come) {
      obstacle = {&awaited, stages.come, step->member};
      return obstacle;
    }
    member = step->member;
    awaited_stage = stages.none + static_cast<std::uint64_t>(step->stage);
  }
  return obstacle;
}

}  // namespace ranklet::members
