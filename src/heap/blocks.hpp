// The blocks that are known, by address.
#pragma once

#include <deque>
#include <map>

#include "heap/heap.hpp"

namespace ranklet::heap {

// Memory of the C library's own allocator, as what calls it is being called itself.
template <class T>
struct PlainAllocator {
  using value_type = T;
  PlainAllocator() = default;
  template <class U>
  PlainAllocator(const PlainAllocator<U>&) noexcept
  {
  }
  T* allocate(std::size_t number);
  void deallocate(T* memory, std::size_t) noexcept;
  friend bool operator==(const PlainAllocator&, const PlainAllocator&) noexcept { return true; }
};

extern "C" void* __libc_malloc(std::size_t bytes) noexcept;
extern "C" void __libc_free(void* memory) noexcept;

template <class T>
T* PlainAllocator<T>::allocate(std::size_t number)
{
  void* const memory = __libc_malloc(number * sizeof(T));
  if (memory == nullptr) __builtin_trap();  // where nothing is left there is nobody to tell
  return static_cast<T*>(memory);
}

template <class T>
void PlainAllocator<T>::deallocate(T* memory, std::size_t) noexcept
{
  __libc_free(memory);
}

// Freed blocks are kept for a while, so that their memory is not somebody else's when they are used by
// mistake. Not thread-safe.
class Blocks {
 public:
  // A block of more than an eighth of the bytes is not kept.
  explicit Blocks(std::size_t most_kept = 1024, std::size_t most_bytes_kept = std::size_t{2} << 20)
      : most_kept_(most_kept), most_bytes_kept_(most_bytes_kept)
  {
  }

  void add(std::uintptr_t begin, std::size_t size);
  // Nothing is known of it any more.
  void forget(std::uintptr_t begin);
  // Of a living one; its size changes.
  void resize(std::uintptr_t begin, std::size_t size);
  // A living one is freed. False: it is not kept, as it is too large, or not known.
  bool keep(std::uintptr_t begin);
  // The block that has been kept for longest, if these are too many; it is forgotten. 0: none.
  std::uintptr_t let_go();
  const Block* find(std::uintptr_t address) const;

 private:
  using Map =
      std::map<std::uintptr_t, Block, std::less<>, PlainAllocator<std::pair<const std::uintptr_t, Block>>>;
  const std::size_t most_kept_, most_bytes_kept_;
  Map blocks_;  // no two have a byte in common
  std::deque<Block, PlainAllocator<Block>> kept_;
  std::size_t bytes_kept_ = 0;
};

}  // namespace ranklet::heap
