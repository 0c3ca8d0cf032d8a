#include "coll/packed_blocks.hpp"

#include <limits>

#include "datatype/copy.hpp"

namespace ranklet::coll {

Count packed_bytes(const Blocks& blocks, int n, Count limit)
{
  Count total = n;
  for (int i = 0; i < n && total <= limit; ++i) total += blocks[i].bytes();
  return total;
}

void pack_blocks(const Blocks& blocks, int n, unsigned char* out)
{
  Count end = 0;
  for (int i = 0; i < n; ++i) {
    const Part block = blocks[i];
    end += pack(block.address, block.count, *block.type, 0, out + n + end, std::numeric_limits<Count>::max());
    out[i] = static_cast<unsigned char>(end);
  }
}

Part packed_block(const unsigned char* in, int n, int which)
{
  const Count begin = which == 0 ? 0 : in[which - 1];
  return {in + n + begin, in[which] - begin, &predefined(Basic::byte)};
}

}  // namespace ranklet::coll
