#include "base/memory.hpp"

#include <oneapi/tbb/scalable_allocator.h>

#include <cstdlib>

#include "base/sanitized.hpp"

namespace ranklet {

void* allocate_shared(std::size_t bytes) noexcept
{
  if constexpr (sanitized)
    return std::malloc(bytes);
  else
    return scalable_malloc(bytes);
}

void free_shared(void* memory) noexcept
{
  if constexpr (sanitized)
    std::free(memory);
  else
    scalable_free(memory);
}

}  // namespace ranklet
