// Memory that is used again and again.
//
// Thread safety: none.
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <new>
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
      memory_.reset(static_cast<unsigned char*>(::operator new(size, line)));
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
  // What two threads use is not in one cache line.
  static constexpr std::align_val_t line{64};
  struct Free {
    void operator()(unsigned char* memory) const noexcept { ::operator delete(memory, line); }
  };

  std::unique_ptr<unsigned char[], Free> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace ranklet
