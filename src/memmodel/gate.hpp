// A place that many pass often and at little cost, and that rarely one closes to have it for itself: elements
// of a window that are changed one by one by atomic instructions, and now and then many of them at once.
//
// Thread safety: any thread passes, with a Passer that belongs to it (or that its rank's threads share);
// those who close exclude each other by a lock of their own. Use: enter() until it is true, then leave();
// close(), then wait until every passer has left, then open(). Invariants:
//  1. Between enter() == true and leave() nobody is between the end of that wait and open().
//  2. What passers did is visible to who then has the place, and what that one did to later passers.
//  3. Passing costs two plain stores, a load of a line that rarely changes, and no fence; the fence that the
//     store-buffering shape of 1 needs is paid by close().
#pragma once

#include <cstdint>

#include "memmodel/native.hpp"

namespace ranklet::memmodel {

template <class Sys = Native>
class Gate {
 public:
  class alignas(64) Passer {
   public:
    // A hint for sleepers, and what the one who closes waits for: acquire pairs with the release in leave().
    bool is_inside() const noexcept { return inside_.load(std::memory_order_acquire) != 0; }

   private:
    friend class Gate;
    typename Sys::template atomic<std::uint32_t> inside_{0};
  };

  // shared: other threads may pass with this passer at the same time. Without it the one thread that does may
  // pass again while it is inside.
  bool enter(Passer& passer, bool shared) noexcept
  {
    // relaxed: the fences order it before the look below. Nobody else writes an unshared one.
    if (shared)
      passer.inside_.fetch_add(1, std::memory_order_relaxed);
    else
      passer.inside_.store(passer.inside_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    // Against heavy_fence() in close(): either we see it closed, or the one who closes sees us inside.
    Sys::light_fence();
    // acquire pairs with the release in open().
    if (closed_.load(std::memory_order_acquire) == 0) [[likely]]
      return true;
    leave(passer, shared);
    return false;
  }

  void leave(Passer& passer, bool shared) noexcept
  {
    // release pairs with the acquire in is_inside(). With shared, the read-modify-writes keep the release
    // sequences of the other threads' leaving.
    // The passer's own threads wrote it last.
    invariant_on<Sys>([&] { return passer.inside_.load(std::memory_order_relaxed) != 0; },
                      "only who is inside leaves a gate");
    if (shared)
      passer.inside_.fetch_sub(1, std::memory_order_release);
    else
      passer.inside_.store(passer.inside_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  }

  void close() noexcept
  {
    // relaxed: the fence orders it before the looks at the passers.
    closed_.store(1, std::memory_order_relaxed);
    Sys::heavy_fence();
  }
  void open() noexcept
  {
    invariant_on<Sys>([&] { return looks_closed(); }, "only who has closed a gate opens it");
    // Pairs with the acquire in enter(): passers see what was done meanwhile.
    closed_.store(0, std::memory_order_release);
  }
  // relaxed: a hint, and exact for the thread that closes.
  bool looks_closed() const noexcept { return closed_.load(std::memory_order_relaxed) != 0; }

 private:
  alignas(64) typename Sys::template atomic<std::uint32_t> closed_{0};
};

}  // namespace ranklet::memmodel
