// The blocks of the C library's heap: where they begin, what was asked for, and which were freed. For the
// usage checks, whose host process loads this library before all others (LD_PRELOAD) and so allocates by it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ranklet::heap {

struct Block {
  std::uintptr_t begin = 0;
  std::size_t size = 0;  // as asked for
  bool freed = false;    // its memory waits to be given back
};

// Fills in the block that holds the byte at this address; false: none is known. Thread-safe.
using Find = bool(std::uintptr_t address, Block* block);

// Blocks that the calling thread allocates from here on are not noted, as they are MPI's own; until it has
// been called as often with false.
using InMpi = void(bool inside);

// Where the library is loaded, these symbols are a Find and an InMpi.
inline constexpr const char* find_symbol = "ranklet_heap_find";
inline constexpr const char* in_mpi_symbol = "ranklet_heap_in_mpi";

}  // namespace ranklet::heap
