// One element in memory that belongs to a program, accessed atomically: what one-sided operations do to a
// target's window.
//
// T is std::uint8_t, 16, 32 or 64, `at` aligned to its size. Every order is relaxed: an operation is atomic,
// and operations on one element are in one order that all threads see, in which those of one thread keep the
// program's; order between different elements comes from the window's synchronisation alone (MPI 5.0
// §12.7.2).
#pragma once

#include <atomic>
#include <cstdint>

namespace ranklet::memmodel {

template <class T>
T load_element(const void* at) noexcept
{
  return std::atomic_ref<T>(*static_cast<T*>(const_cast<void*>(at))).load(std::memory_order_relaxed);
}

template <class T>
void store_element(void* at, T value) noexcept
{
  std::atomic_ref<T>(*static_cast<T*>(at)).store(value, std::memory_order_relaxed);
}

// These return the value before.
template <class T>
T exchange_element(void* at, T value) noexcept
{
  return std::atomic_ref<T>(*static_cast<T*>(at)).exchange(value, std::memory_order_relaxed);
}
template <class T>
T add_to_element(void* at, T value) noexcept
{
  return std::atomic_ref<T>(*static_cast<T*>(at)).fetch_add(value, std::memory_order_relaxed);
}
template <class T>
T swap_element_if(void* at, T expected, T desired) noexcept
{
  std::atomic_ref<T>(*static_cast<T*>(at))
      .compare_exchange_strong(expected, desired, std::memory_order_relaxed, std::memory_order_relaxed);
  return expected;
}
// The new value is change(old), which may be called several times.
template <class T, class Change>
T change_element(void* at, Change&& change) noexcept
{
  const std::atomic_ref<T> element(*static_cast<T*>(at));
  T before = element.load(std::memory_order_relaxed);
  while (!element.compare_exchange_weak(before, change(before), std::memory_order_relaxed,
                                        std::memory_order_relaxed)) {
  }
  return before;
}

}  // namespace ranklet::memmodel
