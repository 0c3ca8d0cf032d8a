#include "datatype/layout.hpp"

#include <algorithm>
#include <utility>

#include "datatype/checked.hpp"

namespace ranklet {

namespace {

// Sequences up to this length are spliced into an enclosing one, so that runs can merge across the border.
constexpr std::size_t splice_limit = 64;

// Whether the two differ in nothing but their offset. May say no where a deeper comparison would say yes.
bool same_shape(const Piece& a, const Piece& b)
{
  if (a.bytes != b.bytes) return false;
  if (a.node == b.node) return true;
  if (!a.node || !b.node) return false;
  return a.node->kind == LayoutNode::Kind::loop && b.node->kind == LayoutNode::Kind::loop &&
         a.node->count == b.node->count && a.node->stride == b.node->stride &&
         same_shape(a.node->child, b.node->child);
}

Piece make_loop(const Piece& piece, Count count, Count stride)
{
  auto node = std::make_shared<LayoutNode>();
  node->kind = LayoutNode::Kind::loop;
  node->count = count;
  node->stride = stride;
  node->child = Piece{0, piece.bytes, piece.node};
  return {piece.offset, checked_mul(count, piece.bytes), std::move(node)};
}

void append(std::vector<Piece>& merged, Piece piece)
{
  if (piece.bytes == 0) return;
  if (!merged.empty()) {
    Piece& last = merged.back();
    if (last.is_run() && piece.is_run() && last.offset + last.bytes == piece.offset) {
      last.bytes = checked_add(last.bytes, piece.bytes);
      return;
    }
  }
  merged.push_back(std::move(piece));
}

// Appends `piece`, a short sequence child by child.
void splice(std::vector<Piece>& merged, Piece piece)
{
  if (piece.node && piece.node->kind == LayoutNode::Kind::sequence &&
      piece.node->children.size() <= splice_limit) {
    for (const Piece& child : piece.node->children) append(merged, shift(child, piece.offset));
  } else if (piece.node && piece.node->kind == LayoutNode::Kind::runs &&
             piece.node->offsets.size() <= splice_limit) {
    for (std::size_t i = 0; i < piece.node->offsets.size(); ++i)
      append(merged,
             Piece{checked_add(piece.offset, piece.node->offsets[i]), piece.node->lengths[i], nullptr});
  } else {
    append(merged, std::move(piece));
  }
}

Piece make_list(std::vector<Piece> pieces, Count bytes)
{
  auto node = std::make_shared<LayoutNode>();
  node->kind = LayoutNode::Kind::list;
  node->count = static_cast<Count>(pieces.size());
  node->child = Piece{0, pieces[0].bytes, pieces[0].node};
  node->offsets.reserve(pieces.size());
  for (const Piece& piece : pieces) node->offsets.push_back(piece.offset);
  return {0, bytes, std::move(node)};
}

Piece make_sequence(std::vector<Piece> pieces, Count bytes, bool all_runs)
{
  auto node = std::make_shared<LayoutNode>();
  node->kind = all_runs ? LayoutNode::Kind::runs : LayoutNode::Kind::sequence;
  node->count = static_cast<Count>(pieces.size());
  node->starts.reserve(pieces.size());
  Count start = 0;
  for (const Piece& piece : pieces) {
    node->starts.push_back(start);
    start += piece.bytes;
    if (all_runs) {
      node->offsets.push_back(piece.offset);
      node->lengths.push_back(piece.bytes);
    }
  }
  if (!all_runs) node->children = std::move(pieces);
  return {0, bytes, std::move(node)};
}

}  // namespace

Piece shift(Piece piece, Count distance)
{
  if (piece.bytes > 0) piece.offset = checked_add(piece.offset, distance);
  return piece;
}

Piece repeat(const Piece& piece, Count count, Count stride)
{
  if (count <= 0 || piece.bytes == 0) return {};
  if (count == 1) return piece;
  // The last copy's place, so that walking the layout cannot overflow.
  checked_add(checked_add(piece.offset, checked_mul(count - 1, stride)), piece.bytes);
  if (piece.is_run()) {
    if (stride == piece.bytes) return {piece.offset, checked_mul(count, piece.bytes), nullptr};
  } else if (piece.node->kind == LayoutNode::Kind::loop &&
             checked_mul(piece.node->count, piece.node->stride) == stride) {
    const LayoutNode& inner = *piece.node;
    return make_loop(Piece{piece.offset, inner.child.bytes, inner.child.node},
                     checked_mul(inner.count, count), inner.stride);
  }
  return make_loop(piece, count, stride);
}

// Whether these short runs of one length are better left alone: the merged ones would be of many lengths and
// hardly fewer, and runs of one length move without a decision for each.
static bool better_unmerged(const std::vector<Piece>& pieces, const std::vector<Piece>& merged)
{
  constexpr Count short_run = 16;
  if (pieces[0].bytes > short_run || merged.size() * 2 <= pieces.size()) return false;
  return std::all_of(pieces.begin(), pieces.end(),
                     [&](const Piece& piece) { return piece.is_run() && piece.bytes == pieces[0].bytes; });
}

Piece join(std::vector<Piece> pieces)
{
  std::vector<Piece> merged;
  merged.reserve(pieces.size());
  for (const Piece& piece : pieces) splice(merged, piece);
  if (merged.empty()) return {};
  if (merged.size() == 1) return std::move(merged[0]);

  Count bytes = 0;
  bool all_runs = true;
  bool alike = true;
  // Equal distances; some are too far apart to have one.
  Count distance = 0, gap = 0;
  bool even = !__builtin_sub_overflow(merged[1].offset, merged[0].offset, &distance);
  for (std::size_t i = 0; i < merged.size(); ++i) {
    bytes = checked_add(bytes, merged[i].bytes);
    all_runs = all_runs && merged[i].is_run();
    alike = alike && same_shape(merged[i], merged[0]);
    even = even && (i == 0 || (!__builtin_sub_overflow(merged[i].offset, merged[i - 1].offset, &gap) &&
                               gap == distance));
  }
  if (alike && even) return repeat(merged[0], static_cast<Count>(merged.size()), distance);
  if (alike) return make_list(std::move(merged), bytes);
  if (all_runs && better_unmerged(pieces, merged)) return make_list(std::move(pieces), bytes);
  return make_sequence(std::move(merged), bytes, all_runs);
}

}  // namespace ranklet
