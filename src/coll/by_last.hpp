// What the last of many members to come makes for all, from what each has shown: shown(i) is the address of
// member i's.
#pragma once

#include <cstring>
#include <new>

#include "coll/fold.hpp"

namespace ranklet::coll {

// Their data of so many bytes each, one after the other.
template <class Shown>
void put_side_by_side(int n, Count bytes, Shown&& shown, unsigned char* out)
{
  if (bytes == 0) return;
  for (int i = 0; i < n; ++i, out += bytes) std::memcpy(out, shown(i), static_cast<std::size_t>(bytes));
}

// The addresses themselves.
using Address = const unsigned char*;
inline Count bytes_of_addresses(int n)
{
  return n * static_cast<Count>(sizeof(Address));
}
template <class Shown>
void list_addresses(int n, Shown&& shown, unsigned char* out)
{
  for (int i = 0; i < n; ++i) new (out + bytes_of_addresses(i)) Address(shown(i));
}
inline const Address* addresses_in(const void* made)
{
  return std::launder(static_cast<const Address*>(made));
}

// Their results of a scan of `count` elements, which may be copied as bytes.
template <class Shown>
void scan_all(const Op& op, const Datatype& type, int n, Shown&& shown, Count count, unsigned char* out)
{
  copy_elements(shown(0), out, count, type);
  for (int i = 1; i < n; ++i)
    combine(op, element(out, (i - 1) * count, type), shown(i), element(out, i * count, type), count, type);
}

}  // namespace ranklet::coll
