// A place where threads sleep until something that they wait for may have happened.
//
// Thread safety: all functions may be called by any thread.
// Use: a waker first publishes what the sleeper waits for (a release store), then calls notify(). A sleeper
// calls park(ready), where ready() looks at what is published. Invariants:
//  1. No lost wake-up: when notify() is called after a store that makes ready() true, park() returns.
//  2. notify() costs one load of a line that changes only when somebody goes to sleep or is woken: no fence,
//     no atomic read-modify-write. The fence that the store-buffering shape of 1 needs is paid by the
//     sleeper.
//  3. A sleeper is woken by one system call, however many wakers come before it runs again.
// park() may also return for no reason; callers loop. The waker touches the Parking after it has published:
// what is published must not lead to its destruction while a notify() may be under way. It may lie in a line
// that its wakers write, but not in one that others write often.
#pragma once

#include <cstdint>

#include "memmodel/native.hpp"

namespace ranklet::memmodel {

template <class Sys = Native>
class Parking {
 public:
  [[gnu::always_inline]] void notify() noexcept
  {
    // Orders the caller's publishing store before the load below, against heavy_fence() in park().
    Sys::light_fence();
    // relaxed is enough: the fences order it, and wake() reads nothing that a sleeper wrote.
    const std::uint32_t word = word_.load(std::memory_order_relaxed);
    if ((word & sleepers) != 0) [[unlikely]]
      wake(word);
  }

  // Sleeps until notified, at most max_ms milliseconds, and returns true; false, without sleeping, when
  // ready() holds. ready() does not throw.
  template <class Ready>
  bool park(Ready&& ready, int max_ms = 200)
  {
    // Opens or joins the present epoch of sleepers. relaxed: the fence below orders it.
    const std::uint32_t epoch = word_.fetch_or(sleepers, std::memory_order_relaxed) | sleepers;
    // Orders the store to word_ before the loads in ready(), against light_fence() in notify(): either the
    // waker sees a sleeper, or ready() sees what the waker published. It also orders the load of word_: when
    // wake() has just ended an epoch, we join the next one, and ready() sees what that waker published.
    Sys::heavy_fence();
    if (ready()) return false;
    // Returns at once when our epoch has ended since, that is, when notify() has seen us.
    Sys::futex_wait(word_, epoch, max_ms);
    return true;
  }

  // As park() for a short time, but without the heavy fence, which interrupts all cores: where many ranks
  // sleep and wake each other it would be most of what they do. Invariant 1 does not hold: a notify() whose
  // load comes before our store is seen, while its caller's store is not seen yet by ready(), is missed, and
  // the nap lasts for max_ms. We look some hundred cycles after our store, when such a caller's store buffer
  // is empty.
  template <class Ready>
  bool nap(Ready&& ready, int max_ms)
  {
    // relaxed: without a fence in notify() no order here would keep it from missing us.
    const std::uint32_t epoch = word_.fetch_or(sleepers, std::memory_order_relaxed) | sleepers;
    for (int i = 0; i < nap_pauses; ++i) Sys::pause();
    if (ready()) return false;
    Sys::futex_wait(word_, epoch, max_ms);
    return true;
  }

 private:
  static constexpr int nap_pauses = 8;
  static constexpr std::uint32_t sleepers = 1;  // somebody may sleep; the other bits count the epochs

  [[gnu::noinline, gnu::cold]] void wake(std::uint32_t word) noexcept
  {
    // Ends the epoch: the carry clears the bit and counts. When another waker was faster, it woke the
    // sleepers of this epoch, and those of the next one set the bit after our load of it, so that their fence
    // comes after ours and they see what we published. relaxed: the kernel checks the word under its own
    // lock, and what the sleepers wait for was published by our caller's own release store.
    if (word_.compare_exchange_strong(word, word + 1, std::memory_order_relaxed, std::memory_order_relaxed))
      Sys::futex_wake_all(word_);
  }

  typename Sys::template atomic<std::uint32_t> word_{0};
};

}  // namespace ranklet::memmodel
