// external32, the machine-independent representation (§14.5.2).
#include <algorithm>
#include <cstdint>
#include <limits>

#include "datatype/checked.hpp"
#include "datatype/copy.hpp"
#include "terms/error.hpp"

namespace ranklet {

namespace {

void swap_bytes(const char* from, char* to, Count bytes)
{
  std::reverse_copy(from, from + bytes, to);
}

// One number of a narrower width in external32, most significant byte first. The native bytes come first.
void narrow(const char* native, Count native_bytes, char* external, Count external_bytes, bool is_signed)
{
  const int fill = is_signed && (native[external_bytes - 1] & 0x80) ? -1 : 0;
  for (Count i = external_bytes; i < native_bytes; ++i)
    if (native[i] != static_cast<char>(fill))
      fail(ErrorClass::conversion, "a number does not fit the %lld bytes of external32",
           static_cast<long long>(external_bytes));
  swap_bytes(native, external, external_bytes);
}

void widen(const char* external, Count external_bytes, char* native, Count native_bytes, bool is_signed)
{
  swap_bytes(external, native, external_bytes);
  const bool negative = is_signed && (external[0] & 0x80);
  std::memset(native + external_bytes, negative ? 0xff : 0,
              static_cast<std::size_t>(native_bytes - external_bytes));
}

// x87 extended <-> IEEE binary128.
void extended_to_external(const char* native, char* external)
{
  long double value;
  std::memcpy(&value, native, sizeof value);
  const F128 wide = value;
  char bytes[16];
  std::memcpy(bytes, &wide, 16);
  swap_bytes(bytes, external, 16);
}

void external_to_extended(const char* external, char* native)
{
  char bytes[16];
  swap_bytes(external, bytes, 16);
  F128 wide;
  std::memcpy(&wide, bytes, 16);
  const auto value = static_cast<long double>(wide);
  std::memset(native, 0, 16);
  std::memcpy(native, &value, 10);
}

bool is_extended(Repr repr)
{
  return repr == Repr::f80 || repr == Repr::c80;
}

// n values of a basic type that is no pair.
void to_external(const char* native, char* external, Count n, const BasicInfo& basic)
{
  const Count parts = basic.group == TypeGroup::complex ? 2 : 1;
  const Count native_bytes = basic.size / parts;
  const Count external_bytes = basic.external_size / parts;
  for (Count i = 0; i < n * parts; ++i, native += native_bytes, external += external_bytes) {
    if (is_extended(basic.repr))
      extended_to_external(native, external);
    else if (native_bytes == external_bytes)
      swap_bytes(native, external, native_bytes);
    else
      narrow(native, native_bytes, external, external_bytes, basic.repr == Repr::i64);
  }
}

void from_external(const char* external, char* native, Count n, const BasicInfo& basic)
{
  const Count parts = basic.group == TypeGroup::complex ? 2 : 1;
  const Count native_bytes = basic.size / parts;
  const Count external_bytes = basic.external_size / parts;
  for (Count i = 0; i < n * parts; ++i, native += native_bytes, external += external_bytes) {
    if (is_extended(basic.repr))
      external_to_extended(external, native);
    else if (native_bytes == external_bytes)
      swap_bytes(external, native, native_bytes);
    else
      widen(external, external_bytes, native, native_bytes, basic.repr == Repr::i64);
  }
}

// Calls f(n, basic) for each run of equal basic types in the signature of `count` elements, in order.
template <typename F>
void for_each_basic(Count count, const Datatype& type, F&& f)
{
  if (count == 0 || type.size() == 0) return;
  const Basic uniform = type.uniform();
  if (uniform != Basic::none && info(uniform).group != TypeGroup::pair)
    return f(count * type.signature().elements, uniform);
  for (Count i = 0; i < count; ++i)
    for (const SignatureRun& part : type.parts()) for_each_basic(part.count, *part.type, f);
}

Count external_size_of(const Datatype& type)
{
  if (type.basic() != Basic::none) return info(type.basic()).external_size;
  Count bytes = 0;
  for (const SignatureRun& part : type.parts())
    bytes = checked_add(bytes, checked_mul(part.count, external_size_of(*part.type)));
  return bytes;
}

constexpr Count chunk_bytes = 4096;

}  // namespace

Count external_size(Count count, const Datatype& type)
{
  return checked_mul(count, external_size_of(type));
}

Count pack_external(const void* src, Count count, const Datatype& type, void* out, Count max_bytes)
{
  const Count total = external_size(count, type);
  if (total > max_bytes)
    fail(ErrorClass::truncate, "%lld bytes of external32 do not fit %lld", static_cast<long long>(total),
         static_cast<long long>(max_bytes));
  auto* to = static_cast<char*>(out);
  Count offset = 0;
  for_each_basic(count, type, [&](Count n, Basic basic) {
    const BasicInfo& row = info(basic);
    char buffer[chunk_bytes];
    while (n > 0) {
      const Count m = std::min(n, chunk_bytes / row.size);
      pack(src, count, type, offset, buffer, m * row.size);
      to_external(buffer, to, m, row);
      offset += m * row.size;
      to += m * row.external_size;
      n -= m;
    }
  });
  return total;
}

Count unpack_external(void* dst, Count count, const Datatype& type, const void* in, Count bytes)
{
  const Count total = external_size(count, type);
  if (total > bytes)
    fail(ErrorClass::truncate, "%lld bytes of external32 are wanted where %lld are left",
         static_cast<long long>(total), static_cast<long long>(bytes));
  unpack_external_part(dst, count, type, in, total);
  return total;
}

Count unpack_external_part(void* dst, Count count, const Datatype& type, const void* in, Count bytes)
{
  auto* from = static_cast<const char*>(in);
  Count offset = 0;
  for_each_basic(count, type, [&](Count n, Basic basic) {
    const BasicInfo& row = info(basic);
    char buffer[chunk_bytes];
    const Count whole = std::min(n, bytes / row.external_size);
    bytes = whole < n ? 0 : bytes - n * row.external_size;
    for (n = whole; n > 0;) {
      const Count m = std::min(n, chunk_bytes / row.size);
      from_external(from, buffer, m, row);
      unpack(dst, count, type, offset, buffer, m * row.size);
      offset += m * row.size;
      from += m * row.external_size;
      n -= m;
    }
  });
  return offset;
}

}  // namespace ranklet
