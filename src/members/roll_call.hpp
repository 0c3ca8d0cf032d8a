// Who has come to an operation that no member can leave before all have: the last one looks at what all show,
// for all others. If each looked by itself there would be n^2 looks, and each would run for every member in
// its way.
//
// Thread safety: any member's threads; restart() while nobody else refers to it. Invariants:
//  1. The last one to arrive sees what all others did before they arrived.
//  2. Whoever sees it complete sees the result, which does not change then.
#pragma once

#include "memmodel/memmodel.hpp"

namespace ranklet::members {

// A Result has restart(), if that of the roll call is used.
template <class Result, class Sys = memmodel::Native>
class RollCall {
 public:
  // For each of so many members once. The last one makes the result, by prepare(result), which does not
  // throw, and wakes the sleepers; true.
  template <class Prepare>
  bool arrive(int members, Prepare&& prepare) noexcept
  {
    // acq_rel: 1.
    if (count_.add(1) != members) return false;
    prepare(result_);
    // Release, with the acquire in is_complete(): 2.
    complete_.set();
    sleepers_.notify();
    return true;
  }
  bool is_complete() const noexcept { return complete_.is_set(); }
  // Once it is complete.
  const Result& result() const noexcept { return result_; }
  // Who wait until it is.
  memmodel::Parking<Sys>& sleepers() noexcept { return sleepers_; }

  void restart() noexcept
  {
    count_.restart(0);
    complete_.reset();
    result_.restart();
  }

 private:
  memmodel::Counter<Sys> count_;
  memmodel::Flag<Sys> complete_;
  memmodel::Parking<Sys> sleepers_;
  Result result_;
};

}  // namespace ranklet::members
