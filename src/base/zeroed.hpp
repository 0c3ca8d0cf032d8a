// Arrays of zeros that cost memory only where they are used.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace ranklet {

// T is what zero bytes make it, as are integers and the atomics of src/memmodel. Large arrays are pages that
// the system provides when they are touched, and promises no memory for.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  ZeroedArray() = default;
  // Throws bad_alloc.
  explicit ZeroedArray(std::size_t count) : count_(count)
  {
    if (count == 0) return;
    if (count > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) throw std::bad_alloc();
    void* memory = nullptr;
    if (is_mapped()) {
      memory = ::mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) memory = nullptr;
    } else {
      const std::size_t bytes = (count * sizeof(T) + alignof(T) - 1) / alignof(T) * alignof(T);
      memory =
          alignof(T) > alignof(std::max_align_t) ? std::aligned_alloc(alignof(T), bytes) : std::malloc(bytes);
      if (memory) __builtin_memset(memory, 0, bytes);
    }
    if (!memory) throw std::bad_alloc();
    elements_ = static_cast<T*>(memory);
  }
  ZeroedArray(ZeroedArray&& other) noexcept
      : elements_(std::exchange(other.elements_, nullptr)), count_(std::exchange(other.count_, 0))
  {
  }
  ZeroedArray& operator=(ZeroedArray other) noexcept
  {
    std::swap(elements_, other.elements_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~ZeroedArray()
  {
    if (is_mapped())
      ::munmap(elements_, count_ * sizeof(T));
    else
      std::free(elements_);
  }

  std::size_t size() const noexcept { return count_; }
  T& operator[](std::size_t index) const noexcept { return elements_[index]; }
  T* data() const noexcept { return elements_; }
  T* begin() const noexcept { return elements_; }
  T* end() const noexcept { return elements_ + count_; }

 private:
  static constexpr std::size_t mapped_bytes = 1 << 14;  // from so many on: a page is a good part of less
  bool is_mapped() const noexcept { return count_ * sizeof(T) >= mapped_bytes; }

  T* elements_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace ranklet
