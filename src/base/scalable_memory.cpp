// memory.hpp by oneTBB's allocator.
#include "base/memory.hpp"

#include <oneapi/tbb/scalable_allocator.h>

#include <cstdlib>

#include "base/sanitizer_runtime.hpp"

namespace ranklet {

void* allocate_shared(std::size_t bytes) noexcept
{
  return allocations_are_watched() ? std::malloc(bytes) : scalable_malloc(bytes);
}

void free_shared(void* memory) noexcept
{
  if (allocations_are_watched())
    std::free(memory);
  else
    scalable_free(memory);
}

}  // namespace ranklet
