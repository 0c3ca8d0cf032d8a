// Few and small blocks that travel all together, in a cell or a slot: a table of where each ends, then their
// contents.
#pragma once

#include "coll/buffers.hpp"

namespace ranklet::coll {

// How many bytes n blocks take so. Only as far as it matters: it stops above `limit`, for the sum may not
// fit.
Count packed_bytes(const Blocks& blocks, int n, Count limit);
// out: room for packed_bytes(), which are less than 256.
void pack_blocks(const Blocks& blocks, int n, unsigned char* out);
// The contents of block `which` of n.
Part packed_block(const unsigned char* in, int n, int which);

}  // namespace ranklet::coll
