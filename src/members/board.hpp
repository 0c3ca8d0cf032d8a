// A board where the members of a fixed set meet: each round every member posts one pointer and looks at the
// others'. One cell a member is enough, as rounds are opened and closed by all.
//
// Thread safety: member i's functions are called by one thread of its rank at a time; different members at
// once. Use, by every member, in the same order on all: post(); item() of those it needs; then close(), and
// before what it posted goes out of use, await_closed(), or another way to know that those who look have.
// What is reachable from a posted pointer may be read by others from post() to await_closed(), and each
// member's writes before post() are visible to those who called item(). Invariants:
//  1. Member i's turn and `closed` count its rounds; closed <= turn <= closed + 1.
//  2. Nobody posts round r + 1 before all who look at its item of round r have closed that.
//  3. A member that waits is woken: every change that another may wait for is followed by notify().
// await(parking, done) sleeps at the parking until done().
#pragma once

#include <memory>

#include "members/cells.hpp"

namespace ranklet::members {

template <class Item, class Sys = memmodel::Native>
class Board {
 public:
  explicit Board(int members)
      : count_(members), members_(std::make_unique<Member[]>(static_cast<std::size_t>(members)))
  {
  }

  int members() const noexcept { return count_; }

  // Opens member me's next round with an item for the others.
  void post(int me, Item item) noexcept
  {
    Member& member = members_[me];
    // The member itself wrote it last.
    memmodel::invariant_on<Sys>([&] { return member.closed.value() == member.round; },
                                "a member closes a round before it opens the next (1)");
    member.cells.mine(++member.round).item = item;
    member.cells.publish(member.round);
    member.waiters.notify();
  }

  // What member peer posted in member me's current round; waits for it.
  template <class Await>
  Item item(int me, int peer, Await&& await)
  {
    return item_of_round(members_[me].round, peer, await);
  }

  // What member peer posts in the round after member me's current one, in which me has posted nothing yet.
  template <class Await>
  Item next_item(int me, int peer, Await&& await)
  {
    return item_of_round(members_[me].round + 1, peer, await);
  }

  // Member me has read all that it needs of this round.
  void close(int me) noexcept
  {
    Member& member = members_[me];
    memmodel::invariant_on<Sys>([&] { return member.closed.value() + 1 == member.round; },
                                "a member closes each round once (1)");
    member.closed.publish(member.round);
    member.waiters.notify();
  }

  // Waits until every member has closed member me's current round.
  template <class Await>
  void await_closed(int me, Await&& await)
  {
    const std::uint64_t round = members_[me].round;
    for (int peer = 0; peer < count_; ++peer) {
      Member& member = members_[peer];
      await(member.waiters, [&] { return member.closed.value() >= round; });
    }
  }

 private:
  struct Cell {
    memmodel::Sequence<Sys> turn;
    Item item{};
  };
  struct alignas(128) Member {
    Cells<Cell, 1, Sys> cells;  // all three are written by the member; the first two are read by the others
    memmodel::Sequence<Sys> closed;
    std::uint64_t round = 0;
    // Those who wait for this member: in one place for all, each that comes would wake all who are there.
    memmodel::Parking<Sys> waiters;
  };

  // Later rounds count, too: a member that is not looked at may be ahead.
  bool has_come(int peer, std::uint64_t round) const noexcept
  {
    return members_[peer].cells.of(round).turn.value() >= round;
  }
  template <class Await>
  Item item_of_round(std::uint64_t round, int peer, Await&& await)
  {
    await(members_[peer].waiters, [&] { return has_come(peer, round); });
    return members_[peer].cells.of(round).item;
  }

  const int count_;
  const std::unique_ptr<Member[]> members_;
};

}  // namespace ranklet::members
