// Memory for what one thread allocates and another frees: the strong case of the scalable allocator.
#pragma once

#include <cstddef>

namespace ranklet {

// At least `bytes` bytes, aligned to 16, or null. Under a sanitizer it comes from the allocator that the
// sanitizer watches.
void* allocate_shared(std::size_t bytes) noexcept;
void free_shared(void* memory) noexcept;

}  // namespace ranklet
