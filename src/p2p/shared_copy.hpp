// One large copy done by two threads: the one that delivers the message and the sender that waits for it.
//
// Thread safety: offer() by the deliverer, join() by the sender's threads, reset() by the sender while nobody
// else knows the request. The claims of pieces, and the invariants: shared_pieces.hpp. In a repeated
// exchange each copies what it has in its cache and its TLB. The deliverer leaves last, so the sender's
// memory (this object, the send buffer) and the receive buffer stay in use no longer than the deliverer says.
#pragma once

#include <algorithm>
#include <new>

#include "datatype/copy.hpp"
#include "p2p/shared_pieces.hpp"
#include "terms/types.hpp"

namespace ranklet::p2p {

class SharedCopy {
 public:
  void reset() noexcept { pieces_.reset(); }

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
        std::clamp<Count>(cost(bytes, source_type, destination_type) / (64 * 1024), 16, Pieces::most);
    piece_ = ((bytes + wanted - 1) / wanted + 63) / 64 *
             64;  // so that pieces of plain data do not share cache lines
    return pieces_.offer((bytes + piece_ - 1) / piece_,
                         [this](Count first, Count n) { return copy_pieces(first, n); });
  }

  // Copies pieces if there are some; by the sender while it waits. False as long as none are offered.
  bool join() noexcept
  {
    return pieces_.join([this](Count first, Count n) { return copy_pieces(first, n); });
  }

 private:
  static constexpr Count most_spread = 8;
  using Pieces = SharedPieces<>;

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

  // False: memory has ended.
  bool copy_pieces(Count first, Count n) noexcept
  {
    try {
      copy_part(source_, source_count_, *source_type_, destination_, destination_count_, *destination_type_,
                first * piece_, n * piece_);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  const void* source_ = nullptr;
  void* destination_ = nullptr;
  const Datatype* source_type_ = nullptr;
  const Datatype* destination_type_ = nullptr;
  Count source_count_ = 0;
  Count destination_count_ = 0;
  Count piece_ = 0;
  Pieces pieces_;
};

}  // namespace ranklet::p2p
