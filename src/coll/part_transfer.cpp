#include "coll/part_transfer.hpp"

namespace ranklet::coll {

bool swap_parts(const Part& a, const Part& b)
{
  if (a.bytes() != b.bytes()) return false;
  constexpr Count chunk = 16384;
  char first[chunk], second[chunk];
  for (Count offset = 0; offset < a.bytes(); offset += chunk) {
    const Count bytes = pack(a.address, a.count, *a.type, offset, first, chunk);
    pack(b.address, b.count, *b.type, offset, second, bytes);
    unpack(a.address, a.count, *a.type, offset, second, bytes);
    unpack(b.address, b.count, *b.type, offset, first, bytes);
  }
  return true;
}

}  // namespace ranklet::coll
