// Memory that MPI allocates for windows.
#pragma once

#include <cstddef>

#include "terms/types.hpp"

namespace ranklet::rma {

// Zeroed pages of the process, in large pages where the machine has them and the size is worth it.
class Memory {
 public:
  Memory() = default;
  // `bytes` >= 0, of which 0 gives an address as well. `alignment` is a power of two. Errors: no_mem.
  Memory(Count bytes, Count alignment);
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;
  ~Memory();

  char* base() const noexcept { return base_; }

 private:
  char* base_ = nullptr;  // aligned, inside what is mapped
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

// Touches every page of the range from the calling thread, so that the system puts it near that thread's core
// (first touch). The contents stay.
void touch(char* begin, Count bytes) noexcept;

}  // namespace ranklet::rma
