// The constructors that place blocks of one or several old types (§5.1.2), resized (§5.1.7) and dup
// (§5.1.10).
#include "datatype/builder.hpp"
#include "datatype/checked.hpp"
#include "datatype/datatype.hpp"

namespace ranklet {

namespace {

std::vector<Count> list(std::initializer_list<Count> head, std::span<const Count> first = {},
                        std::span<const Count> second = {})
{
  std::vector<Count> all(head);
  all.insert(all.end(), first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

std::vector<Count> copy_of(std::span<const Count> values)
{
  return {values.begin(), values.end()};
}

Ref<Datatype> finish_vector(TypeBuilder& builder, Count count, Count block, Count stride, Datatype& old)
{
  if (count == 0 || block == 0) return builder.finish({});
  const Count block_end = checked_mul(block - 1, old.extent());
  const Count last_block = checked_mul(count - 1, stride);
  builder.place(old, checked_mul(count, block),
                checked_add(std::min<Count>(0, block_end), std::min<Count>(0, last_block)),
                checked_add(std::max<Count>(0, block_end), std::max<Count>(0, last_block)));
  return builder.finish(repeat(repeat(old.layout(), block, old.extent()), count, stride));
}

// block(i) elements at displacements[i] * unit bytes.
template <typename Block>
Ref<Datatype> finish_indexed(TypeBuilder& builder, Block block, std::span<const Count> displacements,
                             Count unit, Datatype& old)
{
  std::vector<Piece> pieces;
  pieces.reserve(displacements.size());
  // Blocks of equal length share one description.
  Piece shape;
  Count shape_length = 0;
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    const Count length = block(i);
    check_not_negative(length, "block length");
    if (length == 0) continue;
    const Count at = checked_mul(displacements[i], unit);
    const Count end = checked_add(at, checked_mul(length - 1, old.extent()));
    builder.place(old, length, std::min(at, end), std::max(at, end));
    if (length != shape_length) {
      shape = repeat(old.layout(), length, old.extent());
      shape_length = length;
    }
    pieces.push_back(shift(shape, at));
  }
  return builder.finish(join(std::move(pieces)));
}

}  // namespace

Ref<Datatype> create_contiguous(Count count, Datatype& old, Width width)
{
  check_not_negative(count, "count");
  TypeBuilder builder(Combiner::contiguous);
  builder.record(width, {count});
  builder.record_type(old);
  return builder.finish(builder.place_block(old, count, 0));
}

Ref<Datatype> create_vector(Count count, Count block, Count stride, Datatype& old, Width width)
{
  check_not_negative(count, "count");
  check_not_negative(block, "block length");
  TypeBuilder builder(Combiner::vector);
  builder.record(width, {count, block, stride});
  builder.record_type(old);
  return finish_vector(builder, count, block, checked_mul(stride, old.extent()), old);
}

Ref<Datatype> create_hvector(Count count, Count block, Count stride, Datatype& old, Width width)
{
  check_not_negative(count, "count");
  check_not_negative(block, "block length");
  TypeBuilder builder(Combiner::hvector);
  builder.record(width, {count, block}, {stride});
  builder.record_type(old);
  return finish_vector(builder, count, block, stride, old);
}

Ref<Datatype> create_indexed(std::span<const Count> blocks, std::span<const Count> displacements,
                             Datatype& old, Width width)
{
  check_same_length(blocks.size(), displacements.size());
  TypeBuilder builder(Combiner::indexed);
  builder.record(width, list({static_cast<Count>(blocks.size())}, blocks, displacements));
  builder.record_type(old);
  return finish_indexed(
      builder, [&](std::size_t i) { return blocks[i]; }, displacements, old.extent(), old);
}

Ref<Datatype> create_hindexed(std::span<const Count> blocks, std::span<const Count> displacements,
                              Datatype& old, Width width)
{
  check_same_length(blocks.size(), displacements.size());
  TypeBuilder builder(Combiner::hindexed);
  builder.record(width, list({static_cast<Count>(blocks.size())}, blocks), copy_of(displacements));
  builder.record_type(old);
  return finish_indexed(
      builder, [&](std::size_t i) { return blocks[i]; }, displacements, 1, old);
}

Ref<Datatype> create_indexed_block(Count block, std::span<const Count> displacements, Datatype& old,
                                   Width width)
{
  check_not_negative(block, "block length");
  TypeBuilder builder(Combiner::indexed_block);
  builder.record(width, list({static_cast<Count>(displacements.size()), block}, displacements));
  builder.record_type(old);
  return finish_indexed(
      builder, [&](std::size_t) { return block; }, displacements, old.extent(), old);
}

Ref<Datatype> create_hindexed_block(Count block, std::span<const Count> displacements, Datatype& old,
                                    Width width)
{
  check_not_negative(block, "block length");
  TypeBuilder builder(Combiner::hindexed_block);
  builder.record(width, {static_cast<Count>(displacements.size()), block}, copy_of(displacements));
  builder.record_type(old);
  return finish_indexed(
      builder, [&](std::size_t) { return block; }, displacements, 1, old);
}

Ref<Datatype> create_struct(std::span<const Count> blocks, std::span<const Count> displacements,
                            std::span<Datatype* const> types, Width width)
{
  check_same_length(blocks.size(), displacements.size());
  check_same_length(blocks.size(), types.size());
  TypeBuilder builder(Combiner::structure);
  builder.record(width, list({static_cast<Count>(blocks.size())}, blocks), copy_of(displacements));
  std::vector<Piece> pieces;
  pieces.reserve(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    check_not_negative(blocks[i], "block length");
    builder.record_type(*types[i]);
    pieces.push_back(builder.place_block(*types[i], blocks[i], displacements[i]));
  }
  return builder.finish(join(std::move(pieces)));
}

Ref<Datatype> create_resized(Datatype& old, Count lb, Count extent, Width width)
{
  TypeBuilder builder(Combiner::resized);
  builder.record(width, {}, {lb, extent});
  builder.record_type(old);
  Piece layout = builder.place_block(old, 1, 0);
  builder.mark(lb, extent);
  return builder.finish(std::move(layout));
}

Ref<Datatype> create_dup(Datatype& old)
{
  TypeBuilder builder(Combiner::dup);
  builder.record_type(old);
  return builder.finish_as(old, false);
}

Ref<Datatype> create_twin(Datatype& old)
{
  TypeBuilder builder(old.contents().combiner);
  builder.record_all(old.contents());
  return builder.finish_as(old, false);
}

}  // namespace ranklet
