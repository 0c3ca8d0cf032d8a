// memory.hpp by the C library's allocator, in builds without oneTBB's.
#include <cstdlib>

#include "base/memory.hpp"

namespace ranklet {

void* allocate_shared(std::size_t bytes) noexcept
{
  return std::malloc(bytes);
}

void free_shared(void* memory) noexcept
{
  std::free(memory);
}

}  // namespace ranklet
