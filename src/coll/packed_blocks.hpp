// Few and small blocks that travel all together: a table of where each ends, then their contents. An entry of
// the table is a byte where the contents are at most 255, else four.
#pragma once

#include "coll/buffers.hpp"

namespace ranklet::coll {

// How many bytes n blocks take so. Only as far as it matters: it stops above `limit`, for the sum may not
// fit.
Count packed_bytes(const Blocks& blocks, int n, Count limit);
// How many bytes a copy of n blocks takes that need no table if they are equal. Only as far as it matters.
inline Count copied_bytes(const Blocks& blocks, int n, Count limit)
{
  return blocks.are_equal() ? blocks.all(n).bytes() : packed_bytes(blocks, n, limit);
}
// out: room for packed_bytes(), which are `packed`.
void pack_blocks(const Blocks& blocks, int n, Count packed, unsigned char* out);
// The contents of block `which` of n.
Part packed_block(const unsigned char* in, Count packed, int n, int which);

}  // namespace ranklet::coll
