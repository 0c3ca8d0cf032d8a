// Combining the operands of many members, block by block so that the intermediate result stays in the cache.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>

#include "base/byte_at.hpp"
#include "base/config.hpp"
#include "coll/buffers.hpp"
#include "comm/communicator.hpp"
#include "datatype/copy.hpp"
#include "datatype/op.hpp"

namespace ranklet::coll {

// Room for `count` elements of a type, laid out as the type says.
class Scratch {
 public:
  Scratch(Count count, const Datatype& type)
  {
    const Count span = (count > 0 ? count - 1 : 0) * std::abs(type.extent()) + type.true_extent();
    char* room = local_;
    if (span > capacity) {
      heap_ = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(span));
      room = heap_.get();
    }
    // The element that lies lowest begins at the start of the room.
    address_ = byte_at(room, (type.extent() < 0 ? (count - 1) * -type.extent() : 0) - type.true_lb());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  char* address() const { return address_; }

 private:
  static constexpr Count capacity = 4096;
  alignas(64) char local_[capacity];
  std::unique_ptr<char[]> heap_;
  char* address_;
};

// Of `count` elements, how many the reduction works on at a time: all where a user's function does it.
inline Count block_elements(const Op& op, Count count, const Datatype& type)
{
  constexpr Count bytes = 4096;
  const Count extent = std::abs(type.extent());
  // A division takes longer than to add a few numbers.
  const bool are_few = count <= bytes / 16 && extent <= 16;
  if (!op.is_predefined() || are_few || extent == 0) return std::max<Count>(1, count);
  return std::clamp<Count>(bytes / extent, 1, std::max<Count>(1, count));
}

inline char* element(void* base, Count i, const Datatype& type)
{
  return byte_at(static_cast<char*>(base), i * type.extent());
}
inline const char* element(const void* base, Count i, const Datatype& type)
{
  return byte_at(static_cast<const char*>(base), i * type.extent());
}

inline void copy_elements(const void* from, void* to, Count n, const Datatype& type)
{
  copy(from, n, type, to, n, type);
}

// How the brackets are set: not at all by timing, algorithm or slices. Those of predefined operators close in
// pairs, of neighbours, then of neighbouring pairs and so on, ((0 + 1) + (2 + 3)) + 4, as in the peers'
// recursive doubling: sums round less, and those of a near group can be made there. A user's close from the
// right, which saves copies, as the function leaves its result in the right operand. All close from the left,
// as in sequential code, where the communicator asks for it (MPI 5.0 §6.9.1), and in scans, where members go
// on from what an earlier one has.
enum class Brackets { pairs, from_left, from_right };
inline Brackets brackets(const Communicator& comm, const Op& op)
{
  if (comm.hints.sequential_reduction || config().coll_sequential_reduction) return Brackets::from_left;
  return op.is_predefined() ? Brackets::pairs : Brackets::from_right;
}
// One step: out = left op right, each of `count` elements; out is none of them. Predefined operators, which
// commute, get the right one first, as where the sum is left in its place: so which of two NaNs or zeros
// comes out does not depend on the algorithm either.
inline void combine(const Op& op, const void* left, const void* right, void* out, Count count,
                    const Datatype& type)
{
  if (op.is_predefined())
    apply3(op, right, left, out, count, type);
  else
    apply3(op, left, right, out, count, type);
}

// The sum of inputs [first, first + n): in `to`, but that of a single one where it is.
template <class Input>
const void* fold_pairs(const Op& op, const Datatype& type, int first, int n, Input& input, Count count,
                       void* to)
{
  if (n == 1) return input(first);
  if (n == 2) {
    combine(op, input(first), input(first + 1), to, count, type);
    return to;
  }
  const int left = static_cast<int>(std::bit_ceil(static_cast<unsigned>(n)) / 2);
  fold_pairs(op, type, first, left, input, count, to);
  if (n - left == 1) {
    apply(op, input(first + left), to, count, type);
  } else {
    const Scratch sum(count, type);
    apply(op, fold_pairs(op, type, first + left, n - left, input, count, sum.address()), to, count, type);
  }
  return to;
}

// One block: to = input(0) op input(1) op ... op input(n - 1), each the address of `count` elements; `to` is
// none of them, n >= 1.
template <class Input>
void fold_block(const Op& op, Brackets brackets, const Datatype& type, int n, Input&& input, Count count,
                void* to)
{
  if (n == 1) return copy_elements(input(0), to, count, type);
  if (n == 2) return combine(op, input(0), input(1), to, count, type);
  if (brackets == Brackets::pairs) {
    fold_pairs(op, type, 0, n, input, count, to);
  } else if (brackets == Brackets::from_left && op.is_predefined()) {
    combine(op, input(0), input(1), to, count, type);
    for (int i = 2; i < n; ++i) apply(op, input(i), to, count, type);
  } else if (brackets == Brackets::from_left) {
    // The last result goes to its place, the others to the two scratches in turn.
    const Scratch sums[2] = {Scratch(count, type), Scratch(count, type)};
    const void* sum = input(0);
    for (int i = 1; i < n; ++i) {
      void* const next = i == n - 1 ? to : sums[i % 2].address();
      combine(op, sum, input(i), next, count, type);
      sum = next;
    }
  } else {
    apply3(op, input(n - 2), input(n - 1), to, count, type);
    for (int i = n - 3; i >= 0; --i) apply(op, input(i), to, count, type);
  }
}

// The same for elements [first, first + count) of buffers of any length; `to` may be one of the inputs.
template <class Input>
void fold(const Op& op, Brackets brackets, const Datatype& type, int n, Input&& input, Count first,
          Count count, void* to)
{
  if (count == 0) return;
  const Count step = block_elements(op, count, type);
  bool aliased = false;
  for (int i = 0; i < n; ++i) aliased = aliased || input(i) == to;
  if (!aliased) {
    for (Count begin = first; begin < first + count; begin += step)
      fold_block(
          op, brackets, type, n, [&](int i) { return element(input(i), begin, type); },
          std::min(step, first + count - begin), element(to, begin, type));
    return;
  }
  const Scratch scratch(step, type);
  for (Count begin = first; begin < first + count; begin += step) {
    const Count block = std::min(step, first + count - begin);
    fold_block(
        op, brackets, type, n, [&](int i) { return element(input(i), begin, type); }, block,
        scratch.address());
    copy_elements(scratch.address(), element(to, begin, type), block, type);
  }
}

}  // namespace ranklet::coll
