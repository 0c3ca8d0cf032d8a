// Memory of parcels that a rank's threads have freed, for those that it sends next. Who has just read a
// parcel has its lines, so that another message is packed there without a miss; new memory, or what the
// sender itself packed before, would be fetched line by line from whoever has read it.
//
// Thread safety: the rank's threads.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <utility>

#include "base/memory.hpp"
#include "ranks/section.hpp"

namespace ranklet::p2p {

class ParcelStock {
 public:
  explicit ParcelStock(Rank& rank) noexcept : rank_(rank) {}
  ParcelStock(const ParcelStock&) = delete;
  ParcelStock& operator=(const ParcelStock&) = delete;
  ~ParcelStock() { clear(); }

  // As blocks of one kind have one size, so many bytes are allocated for `bytes`. Short ones, of which there
  // may be many, take no more than they need, and are not kept.
  static constexpr std::size_t rounded(std::size_t bytes) noexcept
  {
    return is_kept(bytes) ? (bytes + step - 1) / step * step : bytes;
  }

  // Null if there is none. size: a rounded one, here and below.
  void* take(std::size_t size) noexcept
  {
    if (!is_kept(size)) return nullptr;
    const Section guard(rank_, lock_);
    Block*& first = of(size);
    Block* const block = first;
    if (!block) return nullptr;
    first = block->next;
    kept_ -= size;
    return block;
  }

  // Whether it is kept. Where there is too much of what may be of other sizes, that goes first.
  bool give(void* memory, std::size_t size) noexcept
  {
    if (!is_kept(size)) return false;
    const Section guard(rank_, lock_);
    if (kept_ + size > most) clear();
    Block*& first = of(size);
    first = new (memory) Block{first};
    kept_ += size;
    return true;
  }

 private:
  struct Block {
    Block* next;
  };
  static constexpr std::size_t step = 1024, longest = 257 * step, most = 2 * longest;

  static constexpr bool is_kept(std::size_t size) noexcept { return size > step && size <= longest; }

  Block*& of(std::size_t size) noexcept RANKLET_REQUIRES(lock_) { return first_[size / step - 1]; }
  void clear() noexcept RANKLET_UNCHECKED
  {
    for (Block*& first : first_)
      while (first) free_shared(std::exchange(first, first->next));
    kept_ = 0;
  }

  Rank& rank_;
  memmodel::SpinLock<> lock_;
  std::array<Block*, longest / step> first_ RANKLET_GUARDED_BY(lock_){};
  std::size_t kept_ RANKLET_GUARDED_BY(lock_) = 0;  // bytes
};

}  // namespace ranklet::p2p
