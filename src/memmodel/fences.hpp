// Fences of a thread of its own, for synchronisation that the program completes by other means: what
// MPI_Win_sync and MPI_Win_flush are made of (docs/memory-model.md).
#pragma once

#include <cstdint>

#include "base/sanitized.hpp"
#include "memmodel/native.hpp"

namespace ranklet::memmodel {

// What those share who order their accesses by fences. ThreadSanitizer does not know fences: in its builds
// every fence is a read-modify-write of the word, so that the later of two fences knows of the earlier one.
template <class Sys = Native>
class FenceWord {
 public:
  // A full processor-memory barrier: store-load order too. It pairs with every other fence of this class,
  // when an atomic store after the one is seen by a load before the other, or by the order of all seq_cst
  // fences.
  void full() noexcept { fence<std::memory_order_seq_cst>(); }
  // full(), then lock.leave_shared() of a FairLock.
  template <class Lock>
  auto full_before_leaving(Lock& lock) noexcept
  {
    if constexpr (thread_sanitized) {
      full();
      return lock.leave_shared();
    } else {
      return lock.fence_and_leave_shared();
    }
  }
  // All orders but store-load; no instruction on x86. Pairs in the first way only.
  void order() noexcept { fence<std::memory_order_acq_rel>(); }

 private:
  template <std::memory_order order>
  void fence() noexcept
  {
    if constexpr (thread_sanitized)
      word_.fetch_add(1, order);
    else
      Sys::fence(order);
  }

  typename Sys::template atomic<std::uint32_t> word_{0};
};

}  // namespace ranklet::memmodel
