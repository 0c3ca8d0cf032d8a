#include "rma/target_place.hpp"

#include <algorithm>

#include "base/byte_at.hpp"
#include "terms/error.hpp"

namespace ranklet::rma {

namespace {

// The bytes [begin, end) that `count` elements touch, relative to their address.
struct Span {
  Count begin = 0;
  Count end = 0;
};

[[noreturn, gnu::cold]] void outside(const Target& target, int rank, Count disp, Count count,
                                     const Datatype& type)
{
  fail(
      ErrorClass::rma_range,
      "%lld element%s of %lld bytes at displacement %lld would leave the window of target rank %d, which has "
      "%lld bytes and a displacement unit of %lld",
      static_cast<long long>(count), count == 1 ? "" : "s", static_cast<long long>(type.size()),
      static_cast<long long>(disp), rank, static_cast<long long>(target.size),
      static_cast<long long>(target.disp_unit));
}

// False if the numbers do not fit 64 bits.
bool span_of(Count count, const Datatype& type, Span& span)
{
  Count last;  // where the last element is
  if (__builtin_mul_overflow(count - 1, type.extent(), &last)) return false;
  span.begin = type.true_lb() + std::min<Count>(0, last);
  return !__builtin_add_overflow(type.true_lb() + type.true_extent(), std::max<Count>(0, last), &span.end);
}

char* place_in_dynamic(Target& target, int rank, Count disp, const Span& span)
{
  // Programs' addresses are positive: what begins below 0 is none, and could end at one.
  Count begin = 0, end = 0;
  const bool outside = __builtin_add_overflow(disp, span.begin, &begin) || begin < 0 ||
                       __builtin_add_overflow(disp, span.end, &end);
  if (span.begin != span.end &&
      (outside || !target.regions.contain(reinterpret_cast<char*>(begin), reinterpret_cast<char*>(end))))
    fail(ErrorClass::rma_range, "the %lld bytes at %p are not attached to the window at target rank %d",
         static_cast<long long>(span.end - span.begin), reinterpret_cast<void*>(begin), rank);
  return reinterpret_cast<char*>(disp);
}

}  // namespace

char* place(Window& window, int rank, Count disp, Count count, const Datatype& type)
{
  Target& target = window.open_target(rank);
  Span span;
  Count begin, end;
  const bool nothing = count == 0 || type.size() == 0;
  if (!nothing && !span_of(count, type, span)) [[unlikely]]
    outside(target, rank, disp, count, type);
  if (window.shared().flavor == Flavor::dynamic) return place_in_dynamic(target, rank, disp, span);
  if (__builtin_mul_overflow(disp, target.disp_unit, &begin) || __builtin_add_overflow(begin, span.end, &end))
      [[unlikely]]
    outside(target, rank, disp, count, type);
  if ((begin + span.begin < 0 || end > target.size) && !nothing) [[unlikely]]
    outside(target, rank, disp, count, type);
  return byte_at(target.base, begin);  // null where the target has no memory
}

Count amount(Count from_count, const Datatype& from, Count to_count, const Datatype& to)
{
  const Count bytes = from_count * from.size();
  if (bytes > to_count * to.size()) [[unlikely]]
    fail(ErrorClass::truncate, "%lld bytes do not fit the %lld bytes of the other side",
         static_cast<long long>(bytes), static_cast<long long>(to_count * to.size()));
  return bytes;
}

}  // namespace ranklet::rma
