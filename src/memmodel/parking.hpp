// A place where threads sleep until something that they wait for may have happened.
//
// Thread safety: all functions may be called by any thread.
// Use: a waker first publishes what the sleeper waits for (a release store), then calls notify(). A sleeper
// calls park(ready), where ready() looks at what is published. Invariants:
//  1. No lost wake-up: when notify() is called after a store that makes ready() true, park() returns.
//  2. notify() costs one load of a line that changes only when somebody goes to sleep or wakes: no fence, no
//     atomic read-modify-write. The fence that the store-buffering shape of 1 needs is paid by the sleeper.
// park() may also return for no reason; callers loop.
#pragma once

#include <cstdint>

#include "memmodel/native.hpp"

namespace ranklet::memmodel {

template <class Sys = Native>
class alignas(64) Parking {
 public:
  void notify() noexcept
  {
    // Orders the caller's publishing store before the load below, against heavy_fence() in park().
    Sys::light_fence();
    // relaxed is enough: the fences order it, and wake() touches nothing that the sleeper wrote.
    if (sleepers_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake();
  }

  // Sleeps until notified, at most max_ms milliseconds; returns at once when ready() holds.
  template <class Ready>
  void park(Ready&& ready, int max_ms = 200)
  {
    // Taken before the last look at ready(): a notify() after that look changes it, and futex_wait returns.
    // relaxed: the order against the look is made by the fence, and futex_wait reads the word again.
    const std::uint32_t epoch = epoch_.load(std::memory_order_relaxed);
    sleepers_.fetch_add(1, std::memory_order_relaxed);
    // Orders the store to sleepers_ before the loads in ready(), against light_fence() in notify(): either
    // the waker sees a sleeper, or ready() sees what the waker published.
    Sys::heavy_fence();
    if (!ready()) Sys::futex_wait(epoch_, epoch, max_ms);
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  [[gnu::noinline, gnu::cold]] void wake() noexcept
  {
    // relaxed is enough: it only has to differ from what the sleeper read, which the kernel checks under its
    // own lock; what the sleeper waits for was published by the caller's own release store.
    epoch_.fetch_add(1, std::memory_order_relaxed);
    Sys::futex_wake_all(epoch_);
  }

  typename Sys::template atomic<std::uint32_t> sleepers_{0};
  typename Sys::template atomic<std::uint32_t> epoch_{0};
};

}  // namespace ranklet::memmodel
