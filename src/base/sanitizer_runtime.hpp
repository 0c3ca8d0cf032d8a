// The runtime of a sanitizer that came with the program into a process of a build without one (mpiexec
// preloads it, or the program is linked to it), and valgrind. A build with a sanitizer of its own is no
// concern of this file.
#pragma once

#include <cstdint>

namespace ranklet {

// Whether memory should come from the allocator that a sanitizer watches.
bool allocations_are_watched() noexcept;

// The first of these bytes that AddressSanitizer knows not to be the program's; 0: none is known.
std::uintptr_t first_poisoned(std::uintptr_t begin, std::uintptr_t end) noexcept;

// Whether valgrind watches the process, and may report what depends on a value that was never set.
bool runs_under_valgrind() noexcept;

// Whether ThreadSanitizer watches the program: it sees nothing of MPI but what race_detector.hpp tells it.
bool threads_are_watched() noexcept;

}  // namespace ranklet
