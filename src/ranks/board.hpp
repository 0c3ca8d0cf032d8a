// A board where the members of a fixed set meet: each round every member posts one pointer and looks at the
// others'. Communicator creation and blocking collectives are built on it.
//
// Thread safety: member i's functions are called by one thread of its rank at a time; different members at
// once. Use, by every member, in the same order on all: post(); item() of those it needs; then close(), and
// before what it posted goes out of use, await_closed(), or another way to know that those who look have.
// What is reachable from a posted pointer may be read by others from post() to await_closed(), and each
// member's writes before post() are visible to those who called item(). Invariants:
//  1. Sequences posted and closed of slot i count member i's rounds; closed <= posted <= closed + 1.
//  2. Nobody posts round r + 1 before all who look at its item of round r have closed that.
#pragma once

#include <cstdint>
#include <memory>

#include "base/invariant.hpp"
#include "ranks/wait.hpp"

namespace ranklet {

class Board {
 public:
  explicit Board(int members)
      : members_(members), slots_(std::make_unique<Slot[]>(static_cast<std::size_t>(members)))
  {
  }

  int members() const noexcept { return members_; }

  // Opens member me's next round with an item for the others.
  void post(int me, const void* item) noexcept
  {
    Slot& slot = slots_[me];
    invariant([&] { return slot.closed.value() == slot.round; },
              "a member closes a round before it opens the next (1)");
    slot.item = item;
    slot.posted.publish(++slot.round);
    parking_.notify();
  }

  // What member peer posted in member me's current round; waits for it.
  const void* item(Rank& self, int me, int peer)
  {
    const std::uint64_t round = slots_[me].round;
    const Slot& slot = slots_[peer];
    wait_until(self, parking_, [&] { return slot.posted.value() >= round; });
    return slot.item;
  }

  // What member peer posts in the round after member me's current one, in which me has posted nothing yet.
  const void* next_item(Rank& self, int me, int peer)
  {
    const std::uint64_t round = slots_[me].round + 1;
    const Slot& slot = slots_[peer];
    wait_until(self, parking_, [&] { return slot.posted.value() >= round; });
    return slot.item;
  }

  // Whether item() would return at once.
  bool has_posted(int me, int peer) const noexcept { return slots_[peer].posted.value() >= slots_[me].round; }

  // Member me has read all that it needs of this round.
  void close(int me) noexcept
  {
    Slot& slot = slots_[me];
    invariant([&] { return slot.closed.value() + 1 == slot.round; }, "a member closes each round once (1)");
    slot.closed.publish(slot.round);
    parking_.notify();
  }

  // Waits until every member has closed member me's current round.
  void await_closed(Rank& self, int me)
  {
    const std::uint64_t round = slots_[me].round;
    for (int peer = 0; peer < members_; ++peer) {
      const Slot& slot = slots_[peer];
      wait_until(self, parking_, [&] { return slot.closed.value() >= round; });
    }
  }

 private:
  struct alignas(128) Slot {
    memmodel::Sequence<>
        posted;  // all four are written by the member; the first three are read by the others
    memmodel::Sequence<> closed;
    const void* item = nullptr;
    std::uint64_t round = 0;
  };

  const int members_;
  std::unique_ptr<Slot[]> slots_;
  memmodel::Parking<> parking_;  // members that wait for any other one
};

}  // namespace ranklet
