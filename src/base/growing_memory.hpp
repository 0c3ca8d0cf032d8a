// Memory that is used again and again.
//
// Thread safety: none.
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

namespace ranklet {

// Only grows, to a power of two; what was in it is lost then.
class GrowingMemory {
 public:
  GrowingMemory() = default;
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;

  // At least so many bytes. Errors: std::bad_alloc.
  unsigned char* make_room(std::size_t bytes)
  {
    if (bytes > bytes_) {
      const std::size_t size = std::bit_ceil(bytes);
      memory_ = std::make_unique_for_overwrite<unsigned char[]>(size);
      bytes_ = size;
    }
    return get();
  }
  void swap(GrowingMemory& other) noexcept
  {
    memory_.swap(other.memory_);
    std::swap(bytes_, other.bytes_);
  }
  unsigned char* get() const noexcept { return memory_.get(); }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::unique_ptr<unsigned char[]> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace ranklet
