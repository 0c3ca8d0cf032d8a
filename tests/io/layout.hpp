// A file in pieces, each of one rank or of nobody.
#pragma once

#include <vector>

#include "datatype/datatype.hpp"
#include "datatype/random_type.hpp"

namespace ranklet::test {

struct Block {
  Count at, bytes;
  int owner;  // -1: nobody's
};

// Each byte of the file is nobody's or one rank's; pieces of neighbours mostly touch.
struct Layout {
  Layout(reference::Random& random, int ranks)
  {
    const bool regular = random(0, 1) == 0;
    const Count most = random(0, 3) == 0 ? 3000 : 700;
    const Count fixed = random(1, most);
    for (Count i = 0, n = random(1, 120) * ranks; i < n; ++i) {
      const Count bytes = regular ? fixed : random(1, most);
      const bool hole = random(0, 9) == 0;
      const Count owner = regular ? i % ranks : random(0, ranks - 1);
      pieces.push_back({size, bytes, hole ? -1 : static_cast<int>(owner)});
      size += bytes;
    }
    // Everybody has something.
    for (int i = 0; i < ranks; ++i) {
      pieces.push_back({size, 2, i});
      size += 2;
    }
  }

  std::vector<Block> of(int rank) const
  {
    std::vector<Block> mine;
    for (const Block& piece : pieces)
      if (piece.owner == rank) mine.push_back(piece);
    return mine;
  }

  std::vector<Block> pieces;
  Count size = 0;
};

inline Ref<Datatype> type_of(const std::vector<Block>& pieces)
{
  std::vector<Count> lengths, places;
  for (const Block& piece : pieces) {
    lengths.push_back(piece.bytes);
    places.push_back(piece.at);
  }
  return create_hindexed(lengths, places, predefined(Basic::byte));
}

inline Count bytes_of(const std::vector<Block>& pieces)
{
  Count bytes = 0;
  for (const Block& piece : pieces) bytes += piece.bytes;
  return bytes;
}

}  // namespace ranklet::test
