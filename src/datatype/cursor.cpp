#include "datatype/cursor.hpp"

#include <algorithm>

namespace ranklet {

using Kind = LayoutNode::Kind;

// The elements are one more loop around the layout; where the two make one strip, it is made here.
void Cursor::start(Count elements, Count skip)
{
  if (skip >= elements * piece_->bytes) return;
  Count run = piece_->bytes;
  Count runs = elements;
  Count distance = extent_;
  if (!piece_->is_run()) {
    const LayoutNode& node = *piece_->node;
    const bool one_strip = node.kind == Kind::loop && node.child.is_run() &&
                           (elements == 1 || node.count * node.stride == extent_);
    if (!one_strip) {
      elements_ = elements;
      element_ = skip / piece_->bytes;
      const Count rest = skip % piece_->bytes;
      if (rest > 0) {
        seek(piece_->node.get(), piece_->offset + element_ * extent_, rest);
        ++element_;
      }
      return;
    }
    run = node.child.bytes;
    runs = elements * node.count;
    distance = node.stride;
  } else if (run == extent_) {
    run *= elements;
    runs = 1;
  }
  strip(piece_->offset, run, runs, distance);
  use_runs(skip / run);
  head = skip % run;
}

// Leaves the levels as they are after `skip` bytes of the node's data, 0 < skip < all of it.
void Cursor::seek(const LayoutNode* node, Count place, Count skip)
{
  for (;;) {
    const bool uniform = node->kind == Kind::loop || node->kind == Kind::list;
    Count index;
    if (uniform) {
      index = skip / node->child.bytes;
      skip %= node->child.bytes;
    } else {
      index = std::upper_bound(node->starts.begin(), node->starts.end(), skip) - node->starts.begin() - 1;
      skip -= node->starts[static_cast<std::size_t>(index)];
    }
    if (skip == 0) {
      push(node, place, index);
      return;
    }
    const auto i = static_cast<std::size_t>(index);
    const Piece* child = node->kind == Kind::runs       ? nullptr
                         : node->kind == Kind::sequence ? &node->children[i]
                                                        : &node->child;
    if (!child || child->is_run()) {
      push(node, place, index);
      next();
      head = skip;
      return;
    }
    push(node, place, index + 1);
    place += node->kind == Kind::loop   ? index * node->stride
             : node->kind == Kind::list ? node->offsets[i]
                                        : child->offset;
    node = child->node.get();
  }
}

bool Cursor::next()
{
  for (;;) {
    if (depth_ == 0) {
      if (element_ >= elements_) return false;
      // A run here is a multi-strip type's element only if start() made no strip, so there is a node.
      push(piece_->node.get(), piece_->offset + element_ * extent_, 0);
      ++element_;
    }
    NodeLevel& level = top();
    const LayoutNode& node = *level.node;
    if (level.index == node.count) {
      --depth_;
      continue;
    }
    const auto i = static_cast<std::size_t>(level.index);
    switch (node.kind) {
      case Kind::loop:
        if (node.child.is_run()) {
          strip(level.place + level.index * node.stride, node.child.bytes, node.count - level.index,
                node.stride);
          level.index = node.count;
          return true;
        }
        ++level.index;
        push(node.child.node.get(), level.place + static_cast<Count>(i) * node.stride, 0);
        break;
      case Kind::list:
        if (node.child.is_run()) {
          strip(level.place, node.child.bytes, node.count - level.index, 0, node.offsets.data() + i);
          level.index = node.count;
          return true;
        }
        ++level.index;
        push(node.child.node.get(), level.place + node.offsets[i], 0);
        break;
      case Kind::runs:
        strip(level.place, node.lengths[i], node.count - level.index, 0, node.offsets.data() + i);
        lengths = node.lengths.data() + i;
        level.index = node.count;
        return true;
      case Kind::sequence: {
        ++level.index;
        const Piece& child = node.children[i];
        if (child.is_run()) {
          strip(level.place + child.offset, child.bytes, 1, 0);
          return true;
        }
        push(child.node.get(), level.place + child.offset, 0);
        break;
      }
    }
  }
}

}  // namespace ranklet
