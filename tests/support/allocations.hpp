// Where memory ends, for a test program that is linked with allocations.cpp, whose operator new it then uses.
#pragma once

#include <cstdint>
#include <new>

namespace ranklet::test {

// How many more allocations of the calling thread succeed; -1: as many as there are.
extern thread_local int allocations_left;

// What the program has allocated and not freed.
std::int64_t living_allocations() noexcept;
std::int64_t living_bytes() noexcept;

// Calls act() with so few allocations that it fails, with one more each time, until it does not; the number
// of times that it has failed.
template <class Act>
int with_little_memory(const Act& act)
{
  for (int failures = 0;; ++failures) {
    allocations_left = failures;
    try {
      act();
      allocations_left = -1;
      return failures;
    } catch (const std::bad_alloc&) {
      allocations_left = -1;
    }
  }
}

}  // namespace ranklet::test
