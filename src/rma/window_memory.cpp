#include "rma/window_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "memmodel/memmodel.hpp"
#include "terms/error.hpp"

namespace ranklet::rma {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t large_page = std::size_t{2} << 20;

}  // namespace

Memory::Memory(Count bytes, Count alignment)
{
  const auto size = static_cast<std::size_t>(bytes);
  // Where large pages may come in, the range begins at one.
  const std::size_t wanted =
      std::max(static_cast<std::size_t>(alignment), size >= large_page ? large_page : page);
  if (__builtin_add_overflow(std::max(size, page), wanted, &mapped_bytes_) ||
      mapped_bytes_ > static_cast<std::size_t>(PTRDIFF_MAX))
    fail(ErrorClass::no_mem, "no memory left for a window of %lld bytes", static_cast<long long>(bytes));
  void* const mapped =
      mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    fail(ErrorClass::no_mem, "no memory left for a window of %lld bytes", static_cast<long long>(bytes));
  mapped_ = mapped;
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  base_ = static_cast<char*>(mapped) + ((address + wanted - 1) / wanted * wanted - address);
  // A wish: where the system has no large pages, small ones serve.
  if (size >= large_page) madvise(base_, size, MADV_HUGEPAGE);
}

Memory::Memory(Memory&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0))
{
}

Memory& Memory::operator=(Memory&& other) noexcept
{
  std::swap(base_, other.base_);
  std::swap(mapped_, other.mapped_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  return *this;
}

Memory::~Memory()
{
  if (mapped_) munmap(mapped_, mapped_bytes_);
}

void touch(char* begin, Count bytes) noexcept
{
  // Adding nothing makes the page present. Atomically, as the neighbour's part may begin with the same byte's
  // page and be in use already.
  for (Count at = 0; at < bytes; at += static_cast<Count>(page))
    memmodel::add_to_element<std::uint8_t>(begin + at, 0);
}

}  // namespace ranklet::rma
