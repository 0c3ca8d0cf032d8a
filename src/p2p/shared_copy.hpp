// One large copy done by two threads: the one that delivers the message and the sender that waits for it.
//
// Thread safety: offer() by the deliverer, join() by the sender's threads, reset() by the sender while nobody
// else knows the request. Invariants:
//  1. Who takes one of the first chunks_ tickets copies one chunk: the deliverer the next one from the front,
//     the sender the next one from the back. So each chunk is copied by exactly one of the two, and in a
//     repeated exchange both mostly copy what they have in their caches.
//  2. The deliverer leaves last, so the sender's memory (this object, the send buffer) and the receive buffer
//     stay in use no longer than the deliverer says.
#pragma once

#include <algorithm>

#include "base/types.hpp"
#include "datatype/copy.hpp"
#include "memmodel/memmodel.hpp"

namespace ranklet::p2p {

class SharedCopy {
 public:
  void reset() noexcept { offered_.reset(); }

  // Whether a second thread saves more than it costs.
  static bool worthwhile(Count bytes, const Datatype& source_type, const Datatype& destination_type) noexcept
  {
    constexpr Count limit = 256 * 1024;
    return bytes >= limit / most_spread && cost(bytes, source_type, destination_type) >= limit;
  }

  // Splits the copy of all of the source and copies until all is done, also by the other thread.
  void offer(const void* source, Count source_count, const Datatype& source_type, void* destination,
             Count destination_count, const Datatype& destination_type) noexcept
  {
    source_ = source;
    source_count_ = source_count;
    source_type_ = &source_type;
    destination_ = destination;
    destination_count_ = destination_count;
    destination_type_ = &destination_type;
    const Count bytes = source_count * source_type.size();
    const Count wanted = std::max<Count>(2, cost(bytes, source_type, destination_type) / (64 * 1024));
    chunk_ = (bytes / wanted + 63) / 64 * 64;  // so that chunks of plain data do not share cache lines
    chunks_ = (bytes + chunk_ - 1) / chunk_;
    tickets_.restart(0);
    back_.restart(0);
    left_.restart(chunks_);
    offered_.set();
    for (Count front = 0; tickets_.take() < chunks_; ++front) copy_chunk(front);
    for (int i = 0; left_.value() != 0; ++i) {
      if (i < 1000)
        memmodel::Native::pause();
      else
        memmodel::Native::yield();
    }
  }

  // Copies chunks if there are some; by the sender while it waits.
  void join() noexcept
  {
    if (!offered_.is_set()) return;
    while (tickets_.take() < chunks_) copy_chunk(chunks_ - 1 - back_.take());
  }

 private:
  static constexpr Count most_spread = 8;

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

  void copy_chunk(Count i) noexcept
  {
    copy_part(source_, source_count_, *source_type_, destination_, destination_count_, *destination_type_,
              i * chunk_, chunk_);
    left_.add(-1);
  }

  const void* source_ = nullptr;
  void* destination_ = nullptr;
  const Datatype* source_type_ = nullptr;
  const Datatype* destination_type_ = nullptr;
  Count source_count_ = 0;
  Count destination_count_ = 0;
  Count chunk_ = 0;
  Count chunks_ = 0;
  alignas(64) memmodel::Counter<> tickets_;
  memmodel::Counter<> back_;
  memmodel::Counter<> left_;
  memmodel::Flag<> offered_;
};

}  // namespace ranklet::p2p
