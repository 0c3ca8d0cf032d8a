// The stacks of rank threads.
#pragma once

#include <cstddef>

#include <sys/resource.h>

#include "terms/types.hpp"

namespace ranklet::launch {

// Bytes for a rank's stack: what is asked for (rounded up to pages), else the limit of `ulimit -s`, at least
// 8 MiB; unlimited counts as 1 GiB. Only what is touched takes memory.
std::size_t stack_size(Count asked);
// The same with another process's limit.
std::size_t stack_size(Count asked, const rlimit& limit);

// Maps a stack with a guard page below it; in small pages, as huge ones would be cleared whole at the first
// touch. Returns its lowest usable address. Throws Error{no_mem}.
void* map_stack(std::size_t size);
// When its thread has ended.
void unmap_stack(void* stack, std::size_t size) noexcept;

}  // namespace ranklet::launch
