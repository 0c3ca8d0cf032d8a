// A barrier of many members that share cores: all count themselves in and the last one opens, so that nobody
// runs twice. Before that it may do something for all.
//
// Thread safety: every member's thread. Members come to the rounds in their order, each once. Invariants:
//  1. Nobody counts in place r mod depth for another round than r before round r is open.
//  2. `opened` only grows; opened >= r when all have come in round r and not before.
//  3. The last member, and a thread that sees round r open, see what all members did before they came; such
//     a thread sees also what the last one did before it opened.
#pragma once

#include "memmodel/memmodel.hpp"

namespace ranklet::members {

template <std::uint64_t depth, class Sys = memmodel::Native>
class CountedBarrier {
  static_assert(depth > 1, "the place of the next round is used while members leave this one");

 public:
  // Counts the caller in. True for the last member, who is to open the round.
  bool arrive(std::uint64_t round, int members) noexcept
  {
    memmodel::Counter<Sys>& arrivals = arrivals_[round % depth];
    const std::int64_t come = arrivals.add(1);
    memmodel::invariant_on<Sys>([&] { return come <= members; },
                                "nobody comes to a round of a barrier twice (1)");
    if (come != members) return false;
    // Invariant 1.
    arrivals.restart(0);
    return true;
  }
  void open(std::uint64_t round) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return opened_.value() < round; },
                                "a barrier's rounds open in their order, each once (2)");
    opened_.publish(round);
    parking.notify();
  }
  bool is_open(std::uint64_t round) const noexcept { return opened_.value() >= round; }
  // One that has come gives up. False: the last one has come meanwhile.
  bool withdraw(std::uint64_t round) noexcept
  {
    memmodel::Counter<Sys>& arrivals = arrivals_[round % depth];
    if (arrivals.add(-1) >= 0) return true;
    // The place was set back before: this arrival is no longer counted there.
    arrivals.add(1);
    return false;
  }

  alignas(64) memmodel::Parking<Sys> parking;  // those who wait

 private:
  alignas(64) memmodel::Counter<Sys> arrivals_[depth];
  memmodel::Sequence<Sys> opened_;
};

}  // namespace ranklet::members
