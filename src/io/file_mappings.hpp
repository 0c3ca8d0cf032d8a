// An open file in memory. Small pieces of an independent write are stored there, by its own thread and
// straight from its buffer: a call for each takes ten times as long, and the kernel makes the calls of one
// inode one after the other. All ranks are threads of one process, so that they share the mappings and their
// page tables.
//
// The first store to a page costs a fault, which takes longer than calls that write many pieces; much longer
// where the file has a hole, or ends. So stored is what has been written in pieces before, and lies in the
// page cache: in a region where so much was written as it is long. All pieces of an access in a region are
// stored, or none: writers on their way through the same pieces meet (writers.hpp).
//
// The last byte that is to be stored is written by a call first. It makes the file as long as it will be, so
// that all else lies before its end, and does what the kernel does for a write and not for a store: the time
// of the last change, the bits of set-user-ID, limits, and news for those who watch the file.
//
// Bytes that another process cuts off meanwhile are lost, as if they had been written before; where a store
// finds nothing to store to, the rest of the access is written by calls.
//
// Thread safety: any thread, but for the destructor. Nobody waits under the lock but for the kernel.
// Invariants:
//  1. A region that has users stays what it is, and its mapping where it is.
//  2. Regions are different ones.
#pragma once

#include <array>

#include "base/guarded.hpp"
#include "io/transfer.hpp"
#include "memmodel/memmodel.hpp"

namespace ranklet::io {

class FileMappings {
 public:
  static constexpr Count region_size = Count{8} << 20;  // they begin at multiples of it
  static constexpr std::size_t most_regions = 16;       // of an open file: 128 MiB of addresses

  // Whether stores to the file of this descriptor and what others read of it by calls are surely the same.
  static bool are_right_for(const SystemCalls& calls, int descriptor);

  explicit FileMappings(const SystemCalls& calls) : calls_(calls) {}
  ~FileMappings();
  FileMappings(const FileMappings&) = delete;
  FileMappings& operator=(const FileMappings&) = delete;

  // Stores what pays of a portion with data, from its first byte on. Returns the position up to which it is
  // in the file; the rest, and what fails, is to be written by calls. The descriptor is open for reading and
  // writing.
  Count store(int descriptor, const Portion& portion);

 private:
  struct Region {
    Count begin = -1;  // -1: none
    // Written there in pieces: places, and how many bytes.
    Count from = 0, to = 0;
    Count written = 0;
    char* memory = nullptr;  // null: not mapped
    int users = 0;
    std::uint64_t last_use = 0;
  };
  // A part of an access in one region.
  struct Stretch {
    Count from, to;  // places
    Count bytes;     // of data
  };
  class Use;

  Region* acquire(int descriptor, const Stretch& stretch);
  Region* find(const Stretch& stretch) RANKLET_REQUIRES(lock_);
  void release(Region& region);
  bool is_cached(const Region& region, const Stretch& stretch);

  const SystemCalls& calls_;
  memmodel::Flag<> useless_;  // the kernel does not map the file, or does not tell what is in memory
  Mutex lock_;
  std::array<Region, most_regions> regions_ RANKLET_GUARDED_BY(lock_);
  std::uint64_t uses_ RANKLET_GUARDED_BY(lock_) = 0;
  Count missed_ RANKLET_GUARDED_BY(lock_) =
      0;  // bytes written to other regions, since a mapping was given up
};

}  // namespace ranklet::io
