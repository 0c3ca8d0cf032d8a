// The runtime of a sanitizer that came with the program into a process of a build without one (mpiexec
// preloads it, or the program is linked to it). A build with a sanitizer of its own is no concern of this
// file.
#pragma once

#include <cstdint>

namespace ranklet {

// Whether memory should come from the allocator that a sanitizer watches.
bool allocations_are_watched() noexcept;

// The first of these bytes that AddressSanitizer knows not to be the program's; 0: none is known.
std::uintptr_t first_poisoned(std::uintptr_t begin, std::uintptr_t end) noexcept;

// ThreadSanitizer sees nothing of what orders threads inside MPI. What a thread has done before
// note_order_from() is told to come before what one does after note_order_to() with the same address.
bool threads_are_watched() noexcept;
void note_order_from(void* object) noexcept;
void note_order_to(void* object) noexcept;

}  // namespace ranklet
