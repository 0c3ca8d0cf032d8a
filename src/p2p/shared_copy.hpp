// One large copy done by two threads: the one that delivers the message and the sender that waits for it.
//
// Thread safety: offer() and work_and_wait() by the deliverer, join() by the sender, reset() by the sender
// while nobody else knows the request. Invariants:
//  1. Each chunk is copied by exactly one of the two.
//  2. The deliverer leaves last, so the sender's memory (this object, the send buffer) and the receive buffer
//  stay
//     in use no longer than the deliverer says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/types.hpp"
#include "memmodel/memmodel.hpp"

namespace ranklet::p2p {

class SharedCopy {
 public:
  // Below this a second thread costs more than it copies.
  static constexpr Count worthwhile = 256 * 1024;

  void reset() noexcept { offered_.reset(); }

  // Splits the copy of `bytes` and copies until all is done, also by the other thread.
  void offer(const void* source, void* destination, Count bytes) noexcept
  {
    source_ = static_cast<const std::byte*>(source);
    destination_ = static_cast<std::byte*>(destination);
    bytes_ = bytes;
    chunks_ = (bytes + chunk - 1) / chunk;
    next_.restart(0);
    left_.restart(chunks_);
    offered_.set();
    work();
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
    if (offered_.is_set()) work();
  }

 private:
  static constexpr Count chunk = 64 * 1024;

  void work() noexcept
  {
    for (std::int64_t i; (i = next_.take()) < chunks_;) {
      const Count begin = i * chunk;
      std::memcpy(destination_ + begin, source_ + begin,
                  static_cast<std::size_t>(std::min(chunk, bytes_ - begin)));
      left_.add(-1);
    }
  }

  const std::byte* source_ = nullptr;
  std::byte* destination_ = nullptr;
  Count bytes_ = 0;
  std::int64_t chunks_ = 0;
  alignas(64) memmodel::Counter<> next_;
  memmodel::Counter<> left_;
  memmodel::Flag<> offered_;
};

}  // namespace ranklet::p2p
