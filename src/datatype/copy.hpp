// Moving data between typed buffers, and between a typed buffer and a packed one.
//
// A packed buffer is the data of the elements without gaps, in the order of the type map. Addresses are those
// of the MPI call: element i's data lies relative to address + i * extent. Nothing here allocates, except for
// types whose description is nested more than 8 levels deep. All functions may be called by several threads
// at once.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include "datatype/datatype.hpp"
#include "terms/types.hpp"

namespace ranklet {

namespace detail {
Count copy_typed(const void* src, Count src_count, const Datatype& src_type, void* dst, Count dst_count,
                 const Datatype& dst_type, Count offset, Count max_bytes);
Count pack_typed(const void* src, Count count, const Datatype& type, Count packed_offset, void* out,
                 Count max_bytes);
Count unpack_typed(void* dst, Count count, const Datatype& type, Count packed_offset, const void* in,
                   Count bytes);

inline void copy_bytes(void* dst, const void* src, Count bytes)
{
  if (bytes > 0) std::memcpy(dst, src, static_cast<std::size_t>(bytes));
}
}  // namespace detail

// The packed bytes [offset, offset + max_bytes) of src_count elements of one type, or as many as there are in
// both, to where those of dst_count elements of another lie, in one pass. Returns the bytes moved. The
// buffers must not overlap.
inline Count copy_part(const void* src, Count src_count, const Datatype& src_type, void* dst, Count dst_count,
                       const Datatype& dst_type, Count offset, Count max_bytes)
{
  const Count all = std::min(src_count * src_type.size(), dst_count * dst_type.size());
  const Count bytes = std::max<Count>(0, std::min(all - offset, max_bytes));
  if (src_type.is_contiguous() && dst_type.is_contiguous()) {
    detail::copy_bytes(static_cast<char*>(dst) + offset, static_cast<const char*>(src) + offset, bytes);
    return bytes;
  }
  return detail::copy_typed(src, src_count, src_type, dst, dst_count, dst_type, offset, bytes);
}

// All of it: stops at the end of the smaller.
inline Count copy(const void* src, Count src_count, const Datatype& src_type, void* dst, Count dst_count,
                  const Datatype& dst_type)
{
  return copy_part(src, src_count, src_type, dst, dst_count, dst_type, 0, std::numeric_limits<Count>::max());
}

// Writes the packed bytes [packed_offset, packed_offset + max_bytes) of `count` elements, or as many as there
// are, to `out`. Returns how many.
inline Count pack(const void* src, Count count, const Datatype& type, Count packed_offset, void* out,
                  Count max_bytes)
{
  if (type.is_contiguous()) {
    const Count bytes = std::max<Count>(0, std::min(count * type.size() - packed_offset, max_bytes));
    detail::copy_bytes(out, static_cast<const char*>(src) + packed_offset, bytes);
    return bytes;
  }
  return detail::pack_typed(src, count, type, packed_offset, out, max_bytes);
}

// The reverse: `in` holds the packed bytes from packed_offset on. Returns how many found a place.
inline Count unpack(void* dst, Count count, const Datatype& type, Count packed_offset, const void* in,
                    Count bytes)
{
  if (type.is_contiguous()) {
    const Count fitting = std::max<Count>(0, std::min(count * type.size() - packed_offset, bytes));
    detail::copy_bytes(static_cast<char*>(dst) + packed_offset, in, fitting);
    return fitting;
  }
  return detail::unpack_typed(dst, count, type, packed_offset, in, bytes);
}

// Whether the whole message has room in the receive buffer (else MPI_ERR_TRUNCATE, §3.2.4).
inline bool fits(Count src_count, const Datatype& src_type, Count dst_count, const Datatype& dst_type)
{
  return src_count * src_type.size() <= dst_count * dst_type.size();
}

// Whether `count` elements are one run of bytes, as also one element of a type with a gap at its end is; then
// *offset is where it begins.
bool is_one_run(Count count, const Datatype& type, Count* offset);

// external32 (§14.5.2): big-endian, IEEE, fixed sizes. pack_external writes all of `count` elements and
// returns the bytes written, external_size(); errors: truncate if max_bytes is less. unpack_external reads as
// many and returns them; errors: truncate if `bytes` is less. unpack_external_part reads the basic elements
// that are whole in `bytes`, and returns their bytes in memory.
Count external_size(Count count, const Datatype& type);
Count pack_external(const void* src, Count count, const Datatype& type, void* out, Count max_bytes);
Count unpack_external(void* dst, Count count, const Datatype& type, const void* in, Count bytes);
Count unpack_external_part(void* dst, Count count, const Datatype& type, const void* in, Count bytes);

}  // namespace ranklet
