#include "datatype/copy.hpp"

#include <cstdint>

#include "base/byte_at.hpp"
#include "datatype/copy_runs.hpp"
#include "datatype/cursor.hpp"

namespace ranklet {

namespace {

template <typename Src>
void copy_to(char* dst, const Cursor& d, Src src, Count block, Count n)
{
  if (d.offsets)
    copy_runs(Listed<char>{byte_at(dst, d.offset), d.offsets}, src, block, n);
  else
    copy_runs(Strided<char>{byte_at(dst, d.offset), d.stride}, src, block, n);
}

// n runs of equal length, both strips at a run's beginning.
void copy_equal(char* dst, Cursor& d, const char* src, Cursor& s, Count n)
{
  if (s.offsets)
    copy_to(dst, d, Listed<const char>{byte_at(src, s.offset), s.offsets}, d.block, n);
  else
    copy_to(dst, d, Strided<const char>{byte_at(src, s.offset), s.stride}, d.block, n);
  d.use_runs(n);
  s.use_runs(n);
}

// From within one long run to n short ones.
void scatter(char* dst, Cursor& d, const char* src, Cursor& s, Count n)
{
  copy_to(dst, d, Strided<const char>{byte_at(src, s.place()), d.block}, d.block, n);
  d.use_runs(n);
  s.use_bytes(n * d.block);
}

// From n short runs to within one long one.
void gather(char* dst, Cursor& d, const char* src, Cursor& s, Count n)
{
  const Strided<char> to{byte_at(dst, d.place()), s.block};
  if (s.offsets)
    copy_runs(to, Listed<const char>{byte_at(src, s.offset), s.offsets}, s.block, n);
  else
    copy_runs(to, Strided<const char>{byte_at(src, s.offset), s.stride}, s.block, n);
  s.use_runs(n);
  d.use_bytes(n * s.block);
}

// Short runs are copied in place: two moves that may overlap cost less than a call.
void copy_short(char* dst, const char* src, Count bytes)
{
  const auto size = static_cast<std::size_t>(bytes);
  if (size >= 8 && size <= 16) {
    std::uint64_t first, last;
    std::memcpy(&first, src, 8);
    std::memcpy(&last, src + size - 8, 8);
    std::memcpy(dst, &first, 8);
    std::memcpy(dst + size - 8, &last, 8);
  } else if (size >= 4 && size < 8) {
    std::uint32_t first, last;
    std::memcpy(&first, src, 4);
    std::memcpy(&last, src + size - 4, 4);
    std::memcpy(dst, &first, 4);
    std::memcpy(dst + size - 4, &last, 4);
  } else {
    std::memcpy(dst, src, size);
  }
}

// How many runs of `length` bytes there are in all three; divides only where more than one is possible.
Count runs_in(Count runs, Count length, Count first_limit, Count second_limit)
{
  const Count limit = std::min(first_limit, second_limit);
  return runs < 2 || limit < 2 * length ? 1 : std::min(runs, limit / length);
}

// The same for runs of varying length, as many as `limit` bytes hold. Return the bytes moved.
Count scatter_varying(char* dst, Cursor& d, const char* src, Cursor& s, Count limit)
{
  char* const base = byte_at(dst, d.offset);
  const char* const from = byte_at(src, s.place());
  Count done = 0;
  Count n = 0;
  for (; n < d.count && d.lengths[n] <= limit - done; done += d.lengths[n++])
    copy_short(byte_at(base, d.offsets[n]), from + done, d.lengths[n]);
  d.use_runs(n);
  s.use_bytes(done);
  return done;
}

Count gather_varying(char* dst, Cursor& d, const char* src, Cursor& s, Count limit)
{
  char* const to = byte_at(dst, d.place());
  const char* const base = byte_at(src, s.offset);
  Count done = 0;
  Count n = 0;
  for (; n < s.count && s.lengths[n] <= limit - done; done += s.lengths[n++])
    copy_short(to + done, byte_at(base, s.offsets[n]), s.lengths[n]);
  s.use_runs(n);
  d.use_bytes(done);
  return done;
}

// Runs of varying length on both sides, until one strip or `limit` ends. Works on copies of the strips:
// stores of bytes could change the cursors themselves, for all that the compiler knows.
Count zip_varying(char* dst, Cursor& dst_cursor, const char* src, Cursor& src_cursor, Count limit)
{
  Strip d = dst_cursor;
  Strip s = src_cursor;
  Count done = 0;
  while (done < limit && d.count > 0 && s.count > 0) {
    const Count bytes = std::min({s.left_in_run(), d.left_in_run(), limit - done});
    copy_short(byte_at(dst, d.place()), byte_at(src, s.place()), bytes);
    d.use_bytes(bytes);
    s.use_bytes(bytes);
    done += bytes;
  }
  static_cast<Strip&>(dst_cursor) = d;
  static_cast<Strip&>(src_cursor) = s;
  return done;
}

// Up to max_bytes from one to the other.
Count move(char* dst, Cursor& d, const char* src, Cursor& s, Count max_bytes)
{
  Count left = max_bytes;
  while (left > 0 && d.fill() && s.fill()) {
    if (s.lengths && d.lengths) {
      left -= zip_varying(dst, d, src, s, left);
      continue;
    }
    const Count from = s.left_in_run();
    const Count to = d.left_in_run();
    if (from == to && s.head == 0 && d.head == 0) {
      const bool both = !s.lengths && !d.lengths;
      if (const Count n = both ? runs_in(std::min(s.count, d.count), to, left, left) : 1; n > 1) {
        left -= n * to;
        copy_equal(dst, d, src, s, n);
        continue;
      }
    } else if (from > to && d.head == 0) {
      if (d.lengths) {
        if (to <= left) {
          left -= scatter_varying(dst, d, src, s, std::min(from, left));
          continue;
        }
      } else if (const Count n = runs_in(d.count, to, from, left); n > 1) {
        left -= n * to;
        scatter(dst, d, src, s, n);
        continue;
      }
    } else if (to > from && s.head == 0) {
      if (s.lengths) {
        if (from <= left) {
          left -= gather_varying(dst, d, src, s, std::min(to, left));
          continue;
        }
      } else if (const Count n = runs_in(s.count, from, to, left); n > 1) {
        left -= n * from;
        gather(dst, d, src, s, n);
        continue;
      }
    }
    const Count bytes = std::min({from, to, left});
    copy_short(byte_at(dst, d.place()), byte_at(src, s.place()), bytes);
    d.use_bytes(bytes);
    s.use_bytes(bytes);
    left -= bytes;
  }
  return max_bytes - left;
}

}  // namespace

Count detail::copy_typed(const void* src, Count src_count, const Datatype& src_type, void* dst,
                         Count dst_count, const Datatype& dst_type, Count offset, Count max_bytes)
{
  Cursor s(src_type, src_count, offset);
  Cursor d(dst_type, dst_count, offset);
  return move(static_cast<char*>(dst), d, static_cast<const char*>(src), s, max_bytes);
}

Count detail::pack_typed(const void* src, Count count, const Datatype& type, Count packed_offset, void* out,
                         Count max_bytes)
{
  const Count bytes = std::min(max_bytes, count * type.size() - packed_offset);
  Cursor s(type, count, packed_offset);
  Cursor d(bytes);
  return move(static_cast<char*>(out), d, static_cast<const char*>(src), s, bytes);
}

Count detail::unpack_typed(void* dst, Count count, const Datatype& type, Count packed_offset, const void* in,
                           Count bytes)
{
  const Count fitting = std::min(bytes, count * type.size() - packed_offset);
  Cursor s(fitting);
  Cursor d(type, count, packed_offset);
  return move(static_cast<char*>(dst), d, static_cast<const char*>(in), s, fitting);
}

bool is_one_run(Count count, const Datatype& type, Count* offset)
{
  const Piece& piece = type.layout();
  *offset = 0;
  if (count == 0 || piece.bytes == 0) return true;
  if (!piece.is_run() || (count > 1 && piece.bytes != type.extent())) return false;
  *offset = piece.offset;
  return true;
}

}  // namespace ranklet
