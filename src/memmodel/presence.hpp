// Threads inside a place that must be empty before something is done there, which rarely happens: the threads
// of a cancelled job that are inside MPI.
//
// Thread safety: any thread. Use: enter(count), then look whether the place is called empty; leave(count,
// ...) when done. A thread that wants the place empty says so by a release store, then calls await_empty().
// Invariants:
//  1. When await_empty() returns, every thread that is counted has seen that store, or will see it before it
//     does anything inside; and what threads did that have left is visible.
//  2. The waiting thread is woken: if several threads leave at once, at least one sees that all have left.
//  3. Entering and leaving cost a read-modify-write of a line of the place's own side and no fence; the
//     fences that the store-buffering shapes of 1 and 2 need are paid once it was said.
#pragma once

#include "memmodel/flag.hpp"
#include "memmodel/parking.hpp"

namespace ranklet::memmodel {

template <class Sys = Native>
class Presence {
 public:
  // One of the place's counts.
  using Count = Counter<Sys>;

  static void enter(Count& count) noexcept
  {
    count.add(1);
    // Orders the count before the caller's look at what was said, against heavy_fence() in await_empty(),
    // which comes after that: either the caller sees it, or it is seen inside.
    Sys::light_fence();
  }

  // was_said(): a look at whether the place is to be empty; is_empty(): whether all counts are zero.
  template <class WasSaid, class IsEmpty>
  void leave(Count& count, WasSaid&& was_said, IsEmpty&& is_empty) noexcept
  {
    // Publishes what the thread has done to a thread that finds the count zero.
    const std::int64_t inside = count.add(-1);
    invariant_on<Sys>([&] { return inside >= 0; }, "only a thread that has entered leaves (1)");
    // As in enter(): either the waiting thread sees that we are gone, or we see that one may wait.
    Sys::light_fence();
    if (!was_said()) [[likely]]
      return;
    // If several threads leave at once, at least one sees that all have left.
    Sys::heavy_fence();
    if (is_empty()) waiting_.notify();
  }

  // Sleeps until is_empty(), or once for `longest_ms` milliseconds: true if it has to be called again.
  template <class IsEmpty>
  bool await_empty(IsEmpty&& is_empty, int longest_ms) noexcept
  {
    // park() looks behind its heavy_fence().
    return waiting_.park(is_empty, longest_ms);
  }

 private:
  alignas(64) Parking<Sys> waiting_;
};

}  // namespace ranklet::memmodel
