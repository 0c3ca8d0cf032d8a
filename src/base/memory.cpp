#include "base/memory.hpp"

#include <oneapi/tbb/scalable_allocator.h>

#include <cstdlib>

namespace ranklet {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool sanitized = false;
#endif

}  // namespace

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
