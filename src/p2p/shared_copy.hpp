// One large copy done by two threads: the one that delivers the message and the sender that waits for it.
//
// Thread safety: offer() by the deliverer, join() by the sender's threads, reset() by the sender while nobody
// else knows the request. Invariants:
//  1. Every piece is claimed once: by the deliverer from the front, by the sender from the back. Both claim
//     much at first, then little by little, so that they end together; and in a repeated exchange each copies
//     what it has in its cache and its TLB.
//  2. The deliverer leaves last, so the sender's memory (this object, the send buffer) and the receive buffer
//     stay in use no longer than the deliverer says.
#pragma once

#include <algorithm>
#include <new>

#include "datatype/copy.hpp"
#include "memmodel/memmodel.hpp"
#include "terms/types.hpp"

namespace ranklet::p2p {

class SharedCopy {
 public:
  void reset() noexcept { offered_.reset(); }

  // Whether a second thread saves more than it costs.
  static bool worthwhile(Count bytes, const Datatype& source_type, const Datatype& destination_type) noexcept
  {
    constexpr Count limit = 64 * 1024;
    return bytes >= limit / most_spread && cost(bytes, source_type, destination_type) >= limit;
  }

  // Splits the copy of all of the source and copies until all is done, also by the other thread. False if
  // memory has ended in one of them (datatype/copy.hpp): not all is copied.
  [[nodiscard]] bool offer(const void* source, Count source_count, const Datatype& source_type,
                           void* destination, Count destination_count,
                           const Datatype& destination_type) noexcept
  {
    source_ = source;
    source_count_ = source_count;
    source_type_ = &source_type;
    destination_ = destination;
    destination_count_ = destination_count;
    destination_type_ = &destination_type;
    const Count bytes = source_count * source_type.size();
    const Count wanted =
        std::clamp<Count>(cost(bytes, source_type, destination_type) / (64 * 1024), 16, most_pieces);
    piece_ = ((bytes + wanted - 1) / wanted + 63) / 64 *
             64;  // so that pieces of plain data do not share cache lines
    pieces_ = (bytes + piece_ - 1) / piece_;
    claims_.restart(0);
    done_by_sender_.restart(0);
    failed_.reset();
    offered_.set();
    Count mine = 0;
    for (Claim c = claim(front, first_claim()); c.pieces > 0; c = claim(front, 1)) {
      copy_pieces(c.before, c.pieces);
      mine += c.pieces;
    }
    for (int i = 0; done_by_sender_.value() != pieces_ - mine; ++i) {
      if (i < 1000)
        memmodel::Native::pause();
      else
        memmodel::Native::yield();
    }
    return !failed_.is_set();
  }

  // Copies pieces if there are some; by the sender while it waits. False as long as none are offered.
  bool join() noexcept
  {
    if (!offered_.is_set()) return false;
    for (Claim c = claim(back, first_claim()); c.pieces > 0; c = claim(back, 1)) {
      copy_pieces(pieces_ - c.before - c.pieces, c.pieces);
      done_by_sender_.add(c.pieces);
    }
    return true;
  }

 private:
  static constexpr Count most_spread = 8;
  static constexpr Count most_pieces = 1 << 16;
  // One piece from either end, in the word of claims: how many are taken from the front, and from the back.
  static constexpr std::int64_t front = 1;
  static constexpr std::int64_t back = std::int64_t{1} << 32;

  struct Claim {
    Count before;  // pieces claimed from that end before
    Count pieces;  // 0: there are no more
  };

  // Bytes, weighted with how thinly the data is spread: of a whole cache line maybe only a number is wanted.
  // Neither type is empty.
  static Count cost(Count bytes, const Datatype& a, const Datatype& b) noexcept
  {
    const auto spread = [](const Datatype& type) {
      if (type.is_contiguous()) return Count{1};
      return std::clamp(std::max(type.extent(), type.true_extent()) / type.size(), Count{1}, most_spread);
    };
    return bytes * std::max(spread(a), spread(b));
  }

  Count first_claim() const noexcept { return std::max<Count>(1, pieces_ * 3 / 8); }

  Claim claim(std::int64_t end, Count wanted) noexcept
  {
    const auto left = [&](std::int64_t word) { return pieces_ - (word & (back - 1)) - (word >> 32); };
    // The look keeps those who come again and again from counting on and on.
    if (left(claims_.value()) <= 0) return {0, 0};
    const std::int64_t word = claims_.take(end * wanted);
    return {end == front ? word & (back - 1) : word >> 32, std::min(wanted, left(word))};
  }

  void copy_pieces(Count first, Count n) noexcept
  {
    try {
      copy_part(source_, source_count_, *source_type_, destination_, destination_count_, *destination_type_,
                first * piece_, n * piece_);
    } catch (const std::bad_alloc&) {
      failed_.set();
    }
  }

  const void* source_ = nullptr;
  void* destination_ = nullptr;
  const Datatype* source_type_ = nullptr;
  const Datatype* destination_type_ = nullptr;
  Count source_count_ = 0;
  Count destination_count_ = 0;
  Count piece_ = 0;
  Count pieces_ = 0;
  memmodel::Flag<> offered_;
  memmodel::Flag<> failed_;
  alignas(64) memmodel::Counter<> claims_;
  alignas(64) memmodel::Counter<> done_by_sender_;
};

}  // namespace ranklet::p2p
