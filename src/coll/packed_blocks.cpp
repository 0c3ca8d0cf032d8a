#include "coll/packed_blocks.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

#include "datatype/copy.hpp"

namespace ranklet::coll {

namespace {

constexpr Count byte_entries = std::numeric_limits<std::uint8_t>::max();

// Entries of type End.
template <class End>
void pack_with(const Blocks& blocks, int n, unsigned char* out)
{
  const Count table = n * static_cast<Count>(sizeof(End));
  Count position = 0;
  for (int i = 0; i < n; ++i) {
    const Part block = blocks[i];
    position += pack(block.address, block.count, *block.type, 0, out + table + position,
                     std::numeric_limits<Count>::max());
    const End end = static_cast<End>(position);
    std::memcpy(out + i * sizeof end, &end, sizeof end);
  }
}

template <class End>
Part block_with(const unsigned char* in, int n, int which)
{
  End begin = 0, end;
  if (which > 0) std::memcpy(&begin, in + (which - 1) * sizeof begin, sizeof begin);
  std::memcpy(&end, in + which * sizeof end, sizeof end);
  return {in + n * sizeof end + begin, Count{end} - begin, &predefined(Basic::byte)};
}

}  // namespace

Count packed_bytes(const Blocks& blocks, int n, Count limit)
{
  Count contents = 0;
  for (int i = 0; i < n && contents <= limit; ++i) contents += blocks[i].bytes();
  return contents + (contents <= byte_entries ? n : n * Count{sizeof(std::uint32_t)});
}

void pack_blocks(const Blocks& blocks, int n, Count packed, unsigned char* out)
{
  packed - n <= byte_entries ? pack_with<std::uint8_t>(blocks, n, out)
                             : pack_with<std::uint32_t>(blocks, n, out);
}

Part packed_block(const unsigned char* in, Count packed, int n, int which)
{
  return packed - n <= byte_entries ? block_with<std::uint8_t>(in, n, which)
                                    : block_with<std::uint32_t>(in, n, which);
}

}  // namespace ranklet::coll
