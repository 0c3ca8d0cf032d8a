#include "support/allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>

namespace ranklet::test {

thread_local int allocations_left = -1;

namespace {

constinit std::atomic<std::int64_t> living{0}, bytes_living{0};  // relaxed throughout: counts

void* allocate(std::size_t bytes, std::size_t alignment)
{
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(bytes)
                           : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  living.fetch_add(1, std::memory_order_relaxed);
  bytes_living.fetch_add(static_cast<std::int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
  return memory;
}

// Not inlined: what is freed would seem to come from another operator new.
[[gnu::noinline]] void release(void* memory) noexcept
{
  if (memory) {
    living.fetch_sub(1, std::memory_order_relaxed);
    bytes_living.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
  }
  std::free(memory);
}

}  // namespace

std::int64_t living_allocations() noexcept
{
  return living.load(std::memory_order_relaxed);
}

std::int64_t living_bytes() noexcept
{
  return bytes_living.load(std::memory_order_relaxed);
}

}  // namespace ranklet::test

using ranklet::test::allocate;
using ranklet::test::release;

void* operator new(std::size_t bytes)
{
  return allocate(bytes, 0);
}

void* operator new(std::size_t bytes, std::align_val_t alignment)
{
  return allocate(bytes, static_cast<std::size_t>(alignment));
}

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept
{
  try {
    return allocate(bytes, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* memory) noexcept
{
  release(memory);
}

void operator delete(void* memory, std::size_t) noexcept
{
  release(memory);
}

void operator delete(void* memory, std::align_val_t) noexcept
{
  release(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
  release(memory);
}
