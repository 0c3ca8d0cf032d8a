// The buffers of operations that are under way (MPI 5.0 §3.7.2): which of them overlap where one is written,
// and which send buffers were changed too early.
//
// What is not seen: the program itself reading from a receive buffer before the receive is complete, or
// writing to it.
//
// Thread safety: the caller's lock.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/ref.hpp"
#include "check/range_map.hpp"
#include "datatype/datatype.hpp"
#include "terms/recorded_call.hpp"

namespace ranklet::check {

// `count` elements of `type` in memory, written or only read by the operation of `call`.
struct BufferUse {
  const void* address = nullptr;
  Count count = 0;
  Ref<const Datatype> type;
  bool written = false;
  Ref<const RecordedCall> call;
};

// From the first byte of the data to its last one. Empty also where that does not fit 64 bits: no call takes
// such a buffer.
Range hull(const BufferUse& use) noexcept;

// Whether the data of the two has bytes in common. Of types with very many runs: no.
bool overlap(const BufferUse& one, const BufferUse& other);

// Whether bytes of one element, or of one and the next, are the same. Of types with very many runs: no.
bool overlaps_itself(const BufferUse& use);

// Of the data of the buffer, or of these bytes.
std::uint64_t checksum(const BufferUse& use);
std::uint64_t checksum(std::span<const char> bytes);

class PendingBuffers {
 public:
  // Those under way that `use` may not overlap and does.
  std::vector<const BufferUse*> conflicts(const BufferUse& use) const;

  // `owner` is what stands for the operation. Several buffers may have one owner.
  void add(const void* owner, BufferUse use);
  // Ends the operation, or its use of the buffer at that address; the buffers that were only to be read and
  // have changed.
  std::vector<BufferUse> remove(const void* owner, const void* address = nullptr);

 private:
  struct Entry {
    BufferUse use;
    std::uint64_t sum;
  };

  RangeMap<Entry> entries_;
  std::multimap<const void*, RangeMap<Entry>::Position> owners_;
};

}  // namespace ranklet::check
