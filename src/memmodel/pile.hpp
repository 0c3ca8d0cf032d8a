// Items that any threads put down, several at once, and that whoever needs some takes all of.
//
// Thread safety: any threads. Invariants:
//  1. What is put is taken once, and whoever takes it sees what was written before it was put.
#pragma once

#include <cstdint>

#include "memmodel/native.hpp"

namespace ranklet::memmodel {

// An Item has a member `Item* next`.
template <class Item, class Sys = Native>
class Pile {
 public:
  Pile() = default;
  Pile(const Pile&) = delete;
  Pile& operator=(const Pile&) = delete;

  // A hint. relaxed: whoever acts on it takes what is there then.
  bool looks_empty() const noexcept { return top_.load(std::memory_order_relaxed) == 0; }

  // From `first` on, up to `last`, which may be the same.
  void put(Item& first, Item& last) noexcept
  {
    const auto top = reinterpret_cast<std::uintptr_t>(&first);
    // relaxed, here and where another one was first: nothing is read through it.
    std::uintptr_t below = top_.load(std::memory_order_relaxed);
    do {
      last.next = reinterpret_cast<Item*>(below);
      // Pairs with the acquire in take_all(), also where others have put more on it since: their exchanges
      // are of one release sequence.
    } while (!top_.compare_exchange_weak(below, top, std::memory_order_release, std::memory_order_relaxed));
  }

  // The last one that was put, or null.
  Item* take_all() noexcept
  {
    if (looks_empty()) return nullptr;
    // Pairs with the release in put(): invariant 1.
    return reinterpret_cast<Item*>(top_.exchange(0, std::memory_order_acquire));
  }

 private:
  typename Sys::template atomic<std::uintptr_t> top_{0};
};

}  // namespace ranklet::memmodel
