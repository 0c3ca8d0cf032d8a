// Operations that move data to and from a target (MPI 5.0 §12.3.1, §12.3.2). They are complete, at the origin
// and at the target, when they return.
//
// `count` elements of `type` at `origin`; the target's data lies `disp` units into its part. target may be
// proc_null. Errors: rma_sync (no epoch), rma_range, truncate. A single basic element that is aligned is
// moved atomically, so that a target may poll for it.
#pragma once

#include <cstring>

#include "datatype/datatype.hpp"
#include "rma/window.hpp"

namespace ranklet::rma {

// `count` elements of `type` at a place of the origin, and the same for a target.
struct OriginData {
  void* address;  // not written by operations that only read it
  Count count;
  const Datatype* type;
};
struct TargetData {
  int rank;
  Count disp;
  Count count;
  const Datatype* type;
};

template <class T>
void move_element(const void* from, void* to, bool to_target)
{
  T value;
  if (to_target) {
    std::memcpy(&value, from, sizeof value);
    memmodel::store_element<T>(to, value);
  } else {
    value = memmodel::load_element<T>(from);
    std::memcpy(to, &value, sizeof value);
  }
}

// One aligned element of 1, 2, 4 or 8 bytes to or from a target; false, with nothing done, if it is none.
inline bool move_single(const void* from, void* to, Count bytes, bool to_target)
{
  const auto at_target = reinterpret_cast<std::uintptr_t>(to_target ? to : from);
  if (bytes > 8 || (at_target & static_cast<std::uintptr_t>(bytes - 1)) != 0) return false;
  switch (bytes) {
    case 1:
      return move_element<std::uint8_t>(from, to, to_target), true;
    case 2:
      return move_element<std::uint16_t>(from, to, to_target), true;
    case 4:
      return move_element<std::uint32_t>(from, to, to_target), true;
    case 8:
      return move_element<std::uint64_t>(from, to, to_target), true;
    default:
      return false;
  }
}

void put(Window& window, const OriginData& origin, const TargetData& target);
void get(Window& window, const OriginData& origin, const TargetData& target);

}  // namespace ranklet::rma
