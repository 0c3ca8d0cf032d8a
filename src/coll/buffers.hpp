// The buffers that collective calls name: one part, or one block per peer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/byte_at.hpp"
#include "datatype/datatype.hpp"
#include "terms/types.hpp"

namespace ranklet::coll {

// What stands for MPI_IN_PLACE as a send or receive buffer.
inline char in_place_marker;
inline void* const in_place = &in_place_marker;

// A read-only array of counts or displacements as the caller has it: of int or of Count. As large as a
// pointer; which of the two is kept in its lowest bit, which is 0 in an array's address.
class Array {
 public:
  Array() = default;
  Array(const int* items) : tagged_(reinterpret_cast<std::uintptr_t>(items)) {}
  Array(const Count* items) : tagged_(items ? reinterpret_cast<std::uintptr_t>(items) | 1 : 0) {}

  explicit operator bool() const { return tagged_ != 0; }
  Count operator[](int i) const
  {
    return tagged_ & 1 ? reinterpret_cast<const Count*>(tagged_ - 1)[i]
                       : Count{reinterpret_cast<const int*>(tagged_)[i]};
  }
  // The first n.
  void copy_to(Count* out, int n) const
  {
    if (tagged_ & 1)
      std::copy_n(reinterpret_cast<const Count*>(tagged_ - 1), n, out);
    else
      std::copy_n(reinterpret_cast<const int*>(tagged_), n, out);
  }

 private:
  std::uintptr_t tagged_ = 0;
};

// `count` elements at `address`. The type is only looked at where the standard calls it significant.
struct Part {
  void* address = nullptr;
  Count count = 0;
  const Datatype* type = nullptr;

  Part() = default;
  // What is sent is never written through `address`.
  Part(const void* in_address, Count in_count, const Datatype* in_type)
      : address(const_cast<void*>(in_address)), count(in_count), type(in_type)
  {
  }
  bool is_in_place() const { return address == in_place; }
  Count bytes() const { return count * type->size(); }
};

// Copies of the arrays of a call.
struct BlockArrays {
  std::vector<Count> counts_and_displacements;
  std::vector<const Datatype*> types;
};

// A block for each peer: all equal and one after the other (MPI_Gather), with counts and displacements in
// extents (MPI_Gatherv), or with types of their own and displacements in bytes (MPI_Alltoallw).
class Blocks {
 public:
  Blocks() = default;
  Blocks(const void* base, Count count, const Datatype* type)
      : base_(static_cast<char*>(const_cast<void*>(base))), type_(type), count_(count)
  {
  }
  Blocks(const void* base, Array counts, Array displacements, const Datatype* type) : Blocks(base, 0, type)
  {
    counts_ = counts;
    displacements_ = displacements;
  }
  Blocks(const void* base, Array counts, Array displacements, const Datatype* const* types)
      : Blocks(base, counts, displacements, static_cast<const Datatype*>(nullptr))
  {
    types_ = types;
  }

  bool is_in_place() const { return base_ == in_place; }
  // The same n blocks for longer than the caller keeps its arrays: from copies in `kept`, which is not to
  // change any more.
  Blocks with_arrays_in(BlockArrays& kept, int n) const
  {
    Blocks copied = *this;
    if (!displacements_) return copied;
    kept.counts_and_displacements.resize(static_cast<std::size_t>(n) * 2);
    Count* const numbers = kept.counts_and_displacements.data();
    counts_.copy_to(numbers, n);
    displacements_.copy_to(numbers + n, n);
    copied.counts_ = static_cast<const Count*>(numbers);
    copied.displacements_ = static_cast<const Count*>(numbers + n);
    if (!types_) return copied;
    kept.types.assign(types_, types_ + n);
    copied.types_ = kept.types.data();
    return copied;
  }
  // Where there are none, and so no arrays, no type is needed.
  bool are_equal() const { return !displacements_ && type_; }
  // n equal blocks as one part.
  Part all(int n) const { return {base_, n * count_, type_}; }
  // Of all blocks; null where each has its own.
  const Datatype* common_type() const { return type_; }
  Part operator[](int i) const
  {
    if (types_) return {byte_at(base_, displacements_[i]), counts_[i], types_[i]};
    if (displacements_) return {byte_at(base_, displacements_[i] * type_->extent()), counts_[i], type_};
    return {byte_at(base_, i * count_ * type_->extent()), count_, type_};
  }

 private:
  char* base_ = nullptr;
  const Datatype* type_ = nullptr;
  Count count_ = 0;
  Array counts_;
  Array displacements_;
  const Datatype* const* types_ = nullptr;
};

}  // namespace ranklet::coll
