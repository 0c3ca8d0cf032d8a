// Walks the data of `count` elements of a type in the order of the message, strip by strip.
#pragma once

#include <array>
#include <vector>

#include "datatype/datatype.hpp"
#include "terms/types.hpp"

namespace ranklet {

// `count` runs of `block` bytes each: at offset, offset + stride, ..., or at offset + offsets[0], offset +
// offsets[1], ... With `lengths` the runs differ, and block is the first one's. It knows how much of it is
// used up: whole runs leave the strip, `head` bytes of the first remaining run are gone.
struct Strip {
  Count place() const { return offset + (offsets ? offsets[0] : 0) + head; }
  Count left_in_run() const { return block - head; }
  void use_runs(Count n)
  {
    count -= n;
    if (offsets)
      offsets += n;
    else
      offset += n * stride;
    if (lengths && count > 0) block = *(lengths += n);
  }
  // n <= left_in_run()
  void use_bytes(Count n)
  {
    head += n;
    if (head == block) {
      head = 0;
      use_runs(1);
    }
  }

  Count offset = 0;
  Count block = 0;
  Count count = 0;
  Count stride = 0;
  const Count* offsets = nullptr;
  const Count* lengths = nullptr;
  Count head = 0;
};

// The current strip, and the way to the next ones.
class Cursor : public Strip {
 public:
  // All but the first `skip` bytes of the data of `count` elements.
  Cursor(const Datatype& type, Count elements, Count skip) : piece_(&type.layout()), extent_(type.extent())
  {
    if (elements > 0 && piece_->bytes > 0) start(elements, skip);
  }
  // One run of `bytes`.
  explicit Cursor(Count bytes)
  {
    block = bytes;
    count = bytes > 0 ? 1 : 0;
  }

  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // False at the end of the data; else the strip is not empty.
  bool fill() { return count > 0 || next(); }

 private:
  struct NodeLevel {
    const LayoutNode* node;
    Count place;
    Count index;
  };
  static constexpr std::size_t inline_levels = 8;

  void start(Count elements, Count skip);
  void seek(const LayoutNode* node, Count place, Count skip);
  bool next();
  void push(const LayoutNode* node, Count place, Count index)
  {
    const NodeLevel level{node, place, index};
    if (depth_ < inline_levels)
      levels_[depth_] = level;
    else if (depth_ - inline_levels < deep_levels_.size())
      deep_levels_[depth_ - inline_levels] = level;
    else
      deep_levels_.push_back(level);
    ++depth_;
  }
  NodeLevel& top()
  {
    return depth_ <= inline_levels ? levels_[depth_ - 1] : deep_levels_[depth_ - 1 - inline_levels];
  }
  void strip(Count at, Count bytes, Count runs, Count distance, const Count* list = nullptr)
  {
    offset = at;
    block = bytes;
    count = runs;
    stride = distance;
    offsets = list;
    lengths = nullptr;
  }

  const Piece* piece_ = nullptr;
  Count extent_ = 0;
  Count element_ = 0;   // the next one to walk
  Count elements_ = 0;  // 0 once the whole of it is one strip
  std::size_t depth_ = 0;
  std::array<NodeLevel, inline_levels> levels_;
  std::vector<NodeLevel> deep_levels_;
};

}  // namespace ranklet
