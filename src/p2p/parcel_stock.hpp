// Memory of parcels that a rank's threads have freed, for those that it sends next. Who has just read a
// parcel has its lines, so that another message is packed there without a miss; new memory, or what the
// sender itself packed before, would be fetched line by line from whoever has read it. What a rank does not
// send itself goes back, some parcels at once, to those that send to it.
//
// Thread safety: the rank's threads; what is handed back is taken by any.
#pragma once

#include <array>
#include <cstddef>

#include "memmodel/memmodel.hpp"
#include "ranks/section.hpp"

namespace ranklet::p2p {

class ParcelStock {
 public:
  explicit ParcelStock(Rank& rank) noexcept : rank_(rank) {}
  ParcelStock(const ParcelStock&) = delete;
  ParcelStock& operator=(const ParcelStock&) = delete;
  ~ParcelStock();

  // As blocks of one kind have one size, so many bytes are allocated for `bytes`. Short ones, of which there
  // may be many, take no more than they need, and are not kept.
  static constexpr std::size_t rounded(std::size_t bytes) noexcept
  {
    return is_kept(bytes) ? (bytes + step - 1) / step * step : bytes;
  }

  // Null if there is none. size: a rounded one, here and below.
  void* take(std::size_t size) noexcept;
  // The same, where what `receiver` has handed back counts, too.
  void* take(std::size_t size, ParcelStock& receiver) noexcept;
  // Whether the stock has it now. Where there is too much of what may be of other sizes, that is freed.
  bool give(void* memory, std::size_t size) noexcept;

 private:
  struct Block {
    Block* next;
    std::size_t size;
  };
  // Blocks that leave together, as each visit of the line where senders find them is a miss.
  struct Leaving {
    Block* first = nullptr;
    Block* last = nullptr;
    std::size_t number = 0, bytes = 0;
  };
  static constexpr std::size_t step = 1024, longest = 257 * step;
  // So much is kept for the rank itself: of longer blocks one. And so much for those that send to it.
  static constexpr std::size_t most_own = 64 * step, most_handed_back = 512 * step;
  static constexpr std::size_t most_leaving = 8;

  static constexpr bool is_kept(std::size_t size) noexcept { return size > step && size <= longest; }

  Block*& of(std::size_t size) noexcept RANKLET_REQUIRES(lock_) { return first_[size / step - 1]; }
  void keep(Block& block) noexcept RANKLET_REQUIRES(lock_);
  // These return what is to be freed, outside of the section.
  Block* hand_back(Block& block) noexcept RANKLET_REQUIRES(lock_);
  Block* take_all() noexcept RANKLET_REQUIRES(lock_);
  static void free_all(Block* first) noexcept;

  Rank& rank_;
  memmodel::SpinLock<> lock_;
  std::array<Block*, longest / step> first_ RANKLET_GUARDED_BY(lock_){};
  std::size_t kept_ RANKLET_GUARDED_BY(lock_) = 0;  // bytes
  Leaving leaving_ RANKLET_GUARDED_BY(lock_);
  std::size_t put_ RANKLET_GUARDED_BY(lock_) = 0;  // bytes, since nothing was handed back
  // On a line of its own: senders look at it.
  alignas(64) memmodel::Pile<Block> handed_back_;
};

}  // namespace ranklet::p2p
