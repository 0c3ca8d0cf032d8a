// Where the data of a datatype lies: the type map without the types, as short as it can be written.
//
// A Piece is what the constructors combine. Joining pieces merges neighbouring runs, turns equal distances
// into loops and lets loops swallow each other, so that most types end as one run or one strided loop of
// runs.
#pragma once

#include <memory>
#include <vector>

#include "terms/types.hpp"

namespace ranklet {

struct LayoutNode;

// Data at `offset` from the element's address: one run of `bytes` if there is no node, else what the node
// says. bytes is the amount of data in any case; 0 means that there is none.
struct Piece {
  Count offset = 0;
  Count bytes = 0;
  std::shared_ptr<const LayoutNode> node;

  bool is_run() const { return node == nullptr; }
};

// The order of children is the order of the data in a message.
struct LayoutNode {
  enum class Kind {
    loop,      // `count` times child, `stride` bytes apart
    list,      // child at each of `offsets`
    runs,      // runs of lengths[i] bytes at offsets[i]
    sequence,  // children, anything
  };
  Kind kind = Kind::loop;
  Count count = 0;
  Count stride = 0;
  Piece child;  // its own offset is 0 in loops and lists
  std::vector<Count> offsets;
  std::vector<Count> lengths;
  std::vector<Piece> children;
  std::vector<Count> starts;  // runs and sequence: bytes of data before each child
};

// `count` copies of `piece`, `stride` bytes apart, from the piece's own place on.
Piece repeat(const Piece& piece, Count count, Count stride);
// `piece` moved by `distance` bytes.
Piece shift(Piece piece, Count distance);
// All of them, one after the other.
Piece join(std::vector<Piece> pieces);

}  // namespace ranklet
