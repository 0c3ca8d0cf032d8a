// Something that is made when it is first needed, by whoever comes first.
//
// T is an object or an array of them (U[]). Thread safety: any threads at once. Two that come first together
// both make one, and one of the two is thrown away: nobody waits, and a maker that throws leaves all as it
// was, which std::call_once does not promise under ThreadSanitizer. Invariant:
//  1. All see the same T, and what its maker did, until the Lazy ends.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "memmodel/native.hpp"

namespace ranklet::memmodel {

template <class T, class Sys = Native>
class Lazy {
 public:
  using Element = std::remove_extent_t<T>;

  Lazy() = default;
  // Nobody else refers to it any more: relaxed.
  ~Lazy() { std::unique_ptr<T>(pointer(made_.load(std::memory_order_relaxed))); }
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;

  // The first element of an array. make() returns a std::unique_ptr<T> and may throw.
  template <class Make>
  Element& get(Make&& make)
  {
    // acquire pairs with the release below: what the maker did is seen.
    std::uintptr_t made = made_.load(std::memory_order_acquire);
    if (made == 0) [[unlikely]] {
      std::unique_ptr<T> mine = make();
      const auto value = reinterpret_cast<std::uintptr_t>(mine.get());
      // release publishes what make() did; acquire, also where another one was first, pairs with its release.
      if (made_.compare_exchange_strong(made, value, std::memory_order_acq_rel, std::memory_order_acquire)) {
        mine.release();
        made = value;
      }
    }
    return *pointer(made);
  }
  // Null where nobody is seen to have made it yet. acquire: as in get().
  Element* look() const noexcept { return pointer(made_.load(std::memory_order_acquire)); }

 private:
  static Element* pointer(std::uintptr_t value) noexcept { return reinterpret_cast<Element*>(value); }

  typename Sys::template atomic<std::uintptr_t> made_{0};
};

}  // namespace ranklet::memmodel
