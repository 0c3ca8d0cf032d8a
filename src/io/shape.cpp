#include "io/shape.hpp"

#include <algorithm>

namespace ranklet::io {

namespace {

// Appends what begins `offset` bytes on.
void append_shape(Shape& whole, const Shape& next, Count offset)
{
  whole.ascending = whole.ascending && next.ascending && next.first + offset >= whole.last;
  whole.disjoint = whole.disjoint && next.disjoint && next.first + offset >= whole.end;
  whole.last = next.last + offset;
  whole.end = next.end + offset;
}

Count first_place(const Piece& piece)
{
  if (piece.is_run()) return piece.offset;
  const LayoutNode& node = *piece.node;
  switch (node.kind) {
    case LayoutNode::Kind::loop:
      return piece.offset + first_place(node.child);
    case LayoutNode::Kind::list:
      return piece.offset + node.offsets[0] + first_place(node.child);
    case LayoutNode::Kind::runs:
      return piece.offset + node.offsets[0];
    case LayoutNode::Kind::sequence:
      return piece.offset + first_place(node.children[0]);
  }
  return piece.offset;
}

// The last of sorted offsets that is at most `place`; the first, if none is.
std::size_t last_at(const std::vector<Count>& offsets, Count place)
{
  const auto next = std::upper_bound(offsets.begin(), offsets.end(), place);
  return next == offsets.begin() ? 0 : static_cast<std::size_t>(next - offsets.begin()) - 1;
}

}  // namespace

Shape shape_of(const Piece& piece)
{
  Shape shape;
  if (piece.is_run()) {
    shape = {0, 0, piece.bytes};
  } else {
    const LayoutNode& node = *piece.node;
    switch (node.kind) {
      case LayoutNode::Kind::loop: {
        shape = shape_of(node.child);
        const Shape child = shape;
        append_shape(shape, child, node.stride);
        const Count rest = (node.count - 2) * node.stride;
        shape.last += rest;
        shape.end += rest;
        break;
      }
      case LayoutNode::Kind::list: {
        const Shape child = shape_of(node.child);
        shape = child;
        shape.first += node.offsets[0];
        shape.last += node.offsets[0];
        shape.end += node.offsets[0];
        for (std::size_t i = 1; i < node.offsets.size(); ++i) append_shape(shape, child, node.offsets[i]);
        break;
      }
      case LayoutNode::Kind::runs:
        shape = {node.offsets[0], node.offsets[0], node.offsets[0] + node.lengths[0]};
        for (std::size_t i = 1; i < node.offsets.size(); ++i)
          append_shape(shape, {0, 0, node.lengths[i]}, node.offsets[i]);
        break;
      case LayoutNode::Kind::sequence:
        shape = shape_of(node.children[0]);
        for (std::size_t i = 1; i < node.children.size(); ++i)
          append_shape(shape, shape_of(node.children[i]), 0);
        break;
    }
  }
  shape.first += piece.offset;
  shape.last += piece.offset;
  shape.end += piece.offset;
  return shape;
}

Count data_before(const Piece& piece, Count place)
{
  const Count inside = place - piece.offset;
  if (piece.is_run()) return std::clamp<Count>(inside, 0, piece.bytes);
  const LayoutNode& node = *piece.node;
  switch (node.kind) {
    case LayoutNode::Kind::loop: {
      const Count beyond = inside - first_place(node.child);
      if (beyond <= 0) return 0;
      const Count i = node.stride > 0 ? std::min(node.count - 1, beyond / node.stride) : 0;
      return i * node.child.bytes + data_before(node.child, inside - i * node.stride);
    }
    case LayoutNode::Kind::list: {
      const std::size_t i = last_at(node.offsets, inside - first_place(node.child));
      return static_cast<Count>(i) * node.child.bytes + data_before(node.child, inside - node.offsets[i]);
    }
    case LayoutNode::Kind::runs: {
      const std::size_t i = last_at(node.offsets, inside);
      return node.starts[i] + std::clamp<Count>(inside - node.offsets[i], 0, node.lengths[i]);
    }
    case LayoutNode::Kind::sequence: {
      std::size_t i = node.children.size() - 1;
      while (i > 0 && first_place(node.children[i]) > inside) --i;
      return node.starts[i] + data_before(node.children[i], inside);
    }
  }
  return 0;
}

}  // namespace ranklet::io
