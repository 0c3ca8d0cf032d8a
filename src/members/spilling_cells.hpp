// Cells whose member waits for readers for a moment at most: where the cell of a number still holds what
// somebody has not read, the content is spilled, into memory of its own.
//
// Numbers are those of one member's contents, in growing order, some of which it leaves out. Readers come
// with the numbers that they want, and leave them in the order of those.
//
// Thread safety: one thread of the member at a time fills; any threads read. Invariants:
//  1. Content n is in cell n mod depth, which then has turn n, or, if not, spilled; it is published in one of
//     the two before the member's next one, and `last` is the last one of those spilled.
//  2. `left` of a member only grows; left >= n means that it reads nothing up to number n any more. A cell is
//     filled anew, and what is spilled goes, only when all members have left what it holds.
#pragma once

#include <map>

#include "members/cells.hpp"

namespace ranklet::members {

template <class Cell, std::uint64_t depth, class Sys = memmodel::Native>
class SpillingCells {
 public:
  // For the member, before show(): whether the content of that number has a cell; else room is made for it
  // elsewhere. left_of(i): what member i has left; wait(done): for a moment, in which done() may become true.
  // Throws std::bad_alloc, with nothing changed.
  template <class LeftOf, class Wait>
  bool find_room(std::uint64_t number, int members, LeftOf&& left_of, Wait&& wait)
  {
    if (own_.all_left >= cells_.of(number).turn.value()) return true;
    const auto look = [&] { return own_.all_left = all_done(members, number, left_of); };
    look();
    if (!cells_.may_fill(number, own_.all_left)) wait_for_readers(number, look, wait);
    const bool is_free = cells_.may_fill(number, own_.all_left);
    const Holder guard(spilled_.lock);
    auto& map = spilled_.map;
    map.erase(map.begin(), map.upper_bound(own_.all_left));
    // Nobody looks for it before `last` says so.
    if (!is_free) map.try_emplace(number);
    return is_free;
  }

  // Calls fill(cell) and shows what that has written. has_room: what find_room() said.
  template <class Fill>
  void show(std::uint64_t number, bool has_room, Fill&& fill)
  {
    if (has_room) [[likely]] {
      fill(cells_.mine(number));
      cells_.publish(number);
      return;
    }
    const Holder guard(spilled_.lock);
    fill(spilled_.map[number]);
    memmodel::invariant_on<Sys>([&] { return spilled_.last.value() < number; },
                                "contents are spilled in the order of their numbers (1)");
    spilled_.last.publish(number);
  }

  // The content of that number, or null as long as it is not there. It stays until the caller has left it.
  const Cell* find(std::uint64_t number) const
  {
    const Cell& cell = cells_.of(number);
    if (cell.turn.value() == number) [[likely]]
      return &cell;
    return spilled_.last.value() >= number ? find_spilled(number) : nullptr;
  }

  // The member reads nothing of the others up to that number any more.
  void leave(std::uint64_t number) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return left_.value() <= number; },
                                "what a member has left only grows (2)");
    left_.publish(number);
  }
  const memmodel::Sequence<Sys>& left() const noexcept { return left_; }

  // Where the content of that number is if it has a cell; for hints to the machine.
  const Cell* place_of(std::uint64_t number) const noexcept { return &cells_.of(number); }

 private:
  // Until half of the cells are free, as long as readers come on: what is spilled costs them and us more. A
  // moment without any of that is spent again when they have come on, or twice as many contents later.
  template <class Look, class Wait>
  void wait_for_readers(std::uint64_t number, Look&& look, Wait&& wait)
  {
    const auto is_behind = [&](std::uint64_t left) { return left + (depth + 1) / 2 < number; };
    // What the member itself is still to read it does not read while it waits.
    if (is_behind(left_.value())) return;
    while (is_behind(own_.all_left) && (own_.all_left != own_.in_vain_at || number >= own_.again_at)) {
      const std::uint64_t before = own_.all_left;
      wait([&] { return look() != before; });
      if (own_.all_left != before) {
        own_.pause = depth;
        continue;
      }
      own_.in_vain_at = before;
      own_.again_at = number + own_.pause;
      own_.pause *= 2;
    }
  }

  const Cell* find_spilled(std::uint64_t number) const
  {
    {
      const Holder guard(spilled_.lock);
      const auto found = spilled_.map.find(number);
      if (found != spilled_.map.end()) return &found->second;
    }
    // A later one is spilled. So this one is in its cell, and stays there until the caller leaves; or the
    // member has left it out.
    return cells_.hold(number) ? &cells_.of(number) : nullptr;
  }

  Cells<Cell, depth, Sys> cells_;
  alignas(128) memmodel::Sequence<Sys> left_;
  struct alignas(128) Spilled {
    memmodel::Sequence<Sys> last;
    mutable memmodel::SpinLock<Sys> lock;
    std::map<std::uint64_t, Cell> map RANKLET_GUARDED_BY(lock);  // until all have left what is there
  } spilled_;
  struct alignas(128) Own {
    std::uint64_t all_left = 0;  // all members are known to have left
    // The last moment in vain: all_left then, and the number from which one is spent there again.
    std::uint64_t in_vain_at = 0, again_at = 0;
    std::uint64_t pause = depth;
  } own_;
};

}  // namespace ranklet::members
