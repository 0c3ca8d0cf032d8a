// Memory of parcels that a rank's threads have freed, for those that it sends next. Who has just read a
// parcel has its lines, so that another message is packed there without a miss; new memory, or what the
// sender itself packed before, would be fetched line by line from whoever has read it. What a rank does not
// send itself goes back, some parcels at once, to those that send to it.
//
// Thread safety: the rank's threads; what is handed back is taken by any.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

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
  // Whether the caller need not free it. Where there is too much, what is of other sizes is freed.
  bool give(void* memory, std::size_t size) noexcept;

 private:
  struct Block {
    Block* next;
    std::size_t size;
  };
  // Blocks of one size.
  struct Kind {
    Block* first = nullptr;
    std::uint32_t number = 0;
  };
  static constexpr std::size_t step = 1024, longest = 257 * step, kinds = longest / step;
  // So many bytes are kept at most, by the rank itself and for those that send to it.
  static constexpr std::size_t most = 3 * longest, most_handed_back = 512 * step;
  // Of one size so many bytes, or one block, are for the rank itself, which hands back what comes beyond when
  // it has so many blocks, or bytes, to hand back at once: each time is a miss, of the line where senders
  // find them.
  static constexpr std::size_t most_own = 64 * step, most_at_once = 8;

  static constexpr bool is_kept(std::size_t size) noexcept { return size > step && size <= longest; }
  static constexpr std::size_t own(std::size_t size) noexcept
  {
    return std::max<std::size_t>(most_own / size, 1);
  }
  static constexpr std::size_t at_once(std::size_t size) noexcept
  {
    return std::min(own(size), most_at_once);
  }
  static constexpr std::size_t kind_of(std::size_t size) noexcept { return size / step - 1; }

  void keep(Block& block) noexcept RANKLET_REQUIRES(lock_);
  Block* unkeep(std::size_t size) noexcept RANKLET_REQUIRES(lock_);
  // These return what is to be freed, outside of the section: null, or a list.
  Block* hand_back(std::size_t size) noexcept RANKLET_REQUIRES(lock_);
  Block* take_all() noexcept RANKLET_REQUIRES(lock_);
  // What nobody has taken: of sizes that nobody sends any more.
  Block* take_back_all() noexcept;
  static void free_all(Block* first) noexcept;

  Rank& rank_;
  memmodel::SpinLock<> lock_;
  std::array<Kind, kinds> kept_ RANKLET_GUARDED_BY(lock_);
  std::size_t bytes_kept_ RANKLET_GUARDED_BY(lock_) = 0;
  // On lines of their own, as senders look at them.
  alignas(64) std::array<memmodel::Pile<Block>, kinds> handed_back_;
  memmodel::Counter<> bytes_handed_back_;
};

}  // namespace ranklet::p2p
