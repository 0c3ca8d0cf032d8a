#include "datatype/kernels.hpp"

#include <array>

#include "datatype/operators.hpp"

namespace ranklet {

namespace {

using namespace operators;

// An element where the user has it, which may be in a packed structure, or in target memory at any
// displacement: told nothing, a compiler would move 16 bytes with instructions that fault there.
template <typename T>
struct [[gnu::packed, gnu::may_alias]] Element
{
  T value;
};

// A pair's gap is not data: nothing is written there, and a buffer may end before it.
template <typename Operation, typename T>
void combine(const Element<T>& a, const Element<T>& b, Element<T>& out)
{
  if constexpr (is_pair<T>::value) {
    const bool first = Operation::is_first(a.value.value, a.value.index, b.value.value, b.value.index);
    const Element<T>& chosen = first ? a : b;
    const T copy{chosen.value.value,
                 chosen.value.index};  // both first: out may be b, for all the compiler knows
    out.value.value = copy.value;
    out.value.index = copy.index;
  } else {
    out.value = Operation::of(a.value, b.value);
  }
}

template <typename Operation, typename T>
void two(const void* in_bytes, void* inout_bytes, Count n)
{
  const auto* __restrict in = static_cast<const Element<T>*>(in_bytes);
  auto* __restrict inout = static_cast<Element<T>*>(inout_bytes);
  for (Count i = 0; i < n; ++i) combine<Operation, T>(in[i], inout[i], inout[i]);
}

template <typename Operation, typename T>
void three(const void* a_bytes, const void* b_bytes, void* out_bytes, Count n)
{
  const auto* __restrict a = static_cast<const Element<T>*>(a_bytes);
  const auto* __restrict b = static_cast<const Element<T>*>(b_bytes);
  auto* __restrict out = static_cast<Element<T>*>(out_bytes);
  for (Count i = 0; i < n; ++i) combine<Operation, T>(a[i], b[i], out[i]);
}

template <typename Operation, typename T>
constexpr Kernel kernel_of()
{
  if constexpr (Operation::template defined<T>)
    return {two<Operation, T>, three<Operation, T>};
  else
    return {};
}

struct Raw {};

// T1, T2, ... in the order of Repr.
template <typename Operation, typename... T>
constexpr std::array<Kernel, repr_count> row_of()
{
  static_assert(sizeof...(T) == repr_count);
  return {kernel_of<Operation, T>()...};
}
template <typename Operation>
constexpr std::array<Kernel, repr_count> kernel_row()
{
  return row_of<Operation, Raw, std::int8_t, std::int16_t, std::int32_t, std::int64_t, I128, std::uint8_t,
                std::uint16_t, std::uint32_t, std::uint64_t, Half, float, double, long double, F128,
                Complex<Half>, Complex<float>, Complex<double>, Complex<long double>, Complex<F128>,
                ValueIndex<float, int>, ValueIndex<double, int>, ValueIndex<std::int64_t, int>,
                ValueIndex<int, int>, ValueIndex<std::int16_t, int>, ValueIndex<long double, int>,
                ValueIndex<float, float>, ValueIndex<double, double>>();
}

// In the order of OpKind.
constexpr std::array<std::array<Kernel, repr_count>, predefined_op_count> kernels = {
    kernel_row<Sum>(),
    kernel_row<Min>(),
    kernel_row<Max>(),
    kernel_row<Prod>(),
    kernel_row<Band>(),
    kernel_row<Bor>(),
    kernel_row<Bxor>(),
    kernel_row<Land>(),
    kernel_row<Lor>(),
    kernel_row<Lxor>(),
    kernel_row<Minloc>(),
    kernel_row<Maxloc>(),
    {},
    {},
};

// Of Fortran's LOGICALs an odd one is .TRUE.: gfortran has 1, others -1, and there .NOT. of a 1 is -2.
struct OddAnd {
  template <typename T>
  static constexpr bool defined = is_integer<T>;
  template <typename T>
  static T of(T a, T b)
  {
    return static_cast<T>(a & b & 1);
  }
};
struct OddOr {
  template <typename T>
  static constexpr bool defined = is_integer<T>;
  template <typename T>
  static T of(T a, T b)
  {
    return static_cast<T>((a | b) & 1);
  }
};
struct OddXor {
  template <typename T>
  static constexpr bool defined = is_integer<T>;
  template <typename T>
  static T of(T a, T b)
  {
    return static_cast<T>((a ^ b) & 1);
  }
};

// In the order of OpKind, from OpKind::land on.
constexpr std::array<std::array<Kernel, repr_count>, 3> logical_kernels = {
    kernel_row<OddAnd>(), kernel_row<OddOr>(), kernel_row<OddXor>()};

}  // namespace

const Kernel& kernel(OpKind op, Basic basic)
{
  const auto& type = info(basic);
  const auto column = static_cast<std::size_t>(type.repr);
  const std::size_t row = static_cast<std::size_t>(op) - static_cast<std::size_t>(OpKind::land);
  // Those of C and C++ are unsigned.
  if (type.group == TypeGroup::logical && type.repr != Repr::u8 && row < logical_kernels.size())
    return logical_kernels[row][column];
  return kernels[static_cast<std::size_t>(op)][column];
}

}  // namespace ranklet
