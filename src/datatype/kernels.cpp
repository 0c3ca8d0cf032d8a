#include "datatype/kernels.hpp"

#include <array>

#include "datatype/operators.hpp"

namespace ranklet {

namespace {

using namespace operators;

// A pair's gap is not data: nothing is written there, and a buffer may end before it.
template <typename T>
void put(T& place, const T& value)
{
  if constexpr (is_pair<T>::value) {
    place.value = value.value;
    place.index = value.index;
  } else {
    place = value;
  }
}

template <typename Operation, typename T>
void two(const void* in_bytes, void* inout_bytes, Count n)
{
  const T* __restrict in = static_cast<const T*>(in_bytes);
  T* __restrict inout = static_cast<T*>(inout_bytes);
  for (Count i = 0; i < n; ++i) put(inout[i], Operation::of(in[i], inout[i]));
}

template <typename Operation, typename T>
void three(const void* a_bytes, const void* b_bytes, void* out_bytes, Count n)
{
  const T* __restrict a = static_cast<const T*>(a_bytes);
  const T* __restrict b = static_cast<const T*>(b_bytes);
  T* __restrict out = static_cast<T*>(out_bytes);
  for (Count i = 0; i < n; ++i) put(out[i], Operation::of(a[i], b[i]));
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
