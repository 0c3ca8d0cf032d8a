// Predefined operators on single elements in a target's memory, by atomic instructions.
#pragma once

#include <bit>
#include <mutex>
#include <type_traits>

#include "datatype/basic.hpp"
#include "datatype/kernels.hpp"
#include "datatype/op.hpp"
#include "memmodel/closed_gate.hpp"
#include "memmodel/memmodel.hpp"
#include "rma/window.hpp"

namespace ranklet::rma {

// How an operator acts on the word that represents an element of a basic type.
struct ElementOp {
  OpKind kind;
  Repr repr;
  void (*combine)(const void* in, void* inout, Count n);  // null for replace and no_op

  // Replacing, or adding words or f32 and f64, which need no kernel.
  ElementOp(OpKind in_kind, Repr in_repr) : kind(in_kind), repr(in_repr), combine(nullptr) {}
  ElementOp(const Op& op, Basic basic)
      : kind(op.kind()), repr(info(basic).repr), combine(kernel(op.kind(), basic).two)
  {
  }

  // A sum that is one of words, as integers wrap around whatever their sign is.
  bool adds_words() const noexcept { return kind == OpKind::sum && repr >= Repr::i8 && repr <= Repr::u64; }
  // A sum of float or double.
  bool adds_reals() const noexcept { return kind == OpKind::sum && (repr == Repr::f32 || repr == Repr::f64); }
};

// The commonest operators, without a call. Adds `in`, which represents a number of that size; returns what
// was there.
template <class T>
T add(void* at, T in, bool reals)
{
  if constexpr (sizeof(T) >= 4) {
    using Real = std::conditional_t<sizeof(T) == 4, float, double>;
    if (reals)
      return memmodel::change_element<T>(at, [&](T before) {
        return std::bit_cast<T>(std::bit_cast<Real>(in) + std::bit_cast<Real>(before));
      });
  }
  return memmodel::add_to_element<T>(at, in);
}

// Combines `in` with the word at `at` and returns what it was.
template <class T>
T act(const ElementOp& op, void* at, T in)
{
  if (op.kind == OpKind::replace) return memmodel::exchange_element<T>(at, in);
  if (op.kind == OpKind::no_op) return memmodel::load_element<T>(at);
  if (op.adds_words() || op.adds_reals()) return add(at, in, op.adds_reals());
  return memmodel::change_element<T>(at, [&](T before) {
    op.combine(&in, &before, 1);
    return before;
  });
}

// Calls f(T{}) with the word type of that many bytes; false if there is none.
template <class F>
bool with_word(Count bytes, F&& f)
{
  switch (bytes) {
    case 1:
      return f(std::uint8_t{}), true;
    case 2:
      return f(std::uint16_t{}), true;
    case 4:
      return f(std::uint32_t{}), true;
    case 8:
      return f(std::uint64_t{}), true;
    default:
      return false;
  }
}

inline bool is_aligned(const void* at, Count bytes) noexcept
{
  return (reinterpret_cast<std::uintptr_t>(at) & static_cast<std::uintptr_t>(bytes - 1)) == 0;
}

// Whether elements are changed by atomic instructions where their addresses allow it.
inline bool is_word(const Datatype& element)
{
  return element.size() <= 8 && element.is_contiguous();
}

// As one of those who change words.
template <class Body>
void passing(Window& window, int target, Body&& body)
{
  rma::Target& there = window.target(target);
  memmodel::pass(there.accumulate_gate, there.accumulate_lock, window.own().passer,
                 window.self().concurrent(), body);
}

}  // namespace ranklet::rma
