#include "datatype/kernels.hpp"

#include <array>
#include <type_traits>

#include "datatype/half.hpp"

namespace ranklet {

namespace {

__extension__ typedef __int128 I128;
__extension__ typedef unsigned __int128 U128;

template <typename T>
struct Complex {
  T re;
  T im;
};
template <typename V, typename I>
struct ValueIndex {
  V value;
  I index;
};

template <typename T>
struct is_complex : std::false_type {
};
template <typename T>
struct is_complex<Complex<T>> : std::true_type {
};
template <typename T>
struct is_pair : std::false_type {
};
template <typename V, typename I>
struct is_pair<ValueIndex<V, I>> : std::true_type {
};

template <typename T>
constexpr bool is_integer = std::is_integral_v<T> || std::is_same_v<T, I128>;
template <typename T>
constexpr bool is_real = std::is_floating_point_v<T> || std::is_same_v<T, F128> || std::is_same_v<T, Half>;

// Arithmetic is done in Work<T>. For integers that is an unsigned type of at least int's width: overflow
// wraps around instead of being undefined.
template <typename T>
struct WorkOf {
  using type = std::conditional_t<(sizeof(T) < sizeof(int)), unsigned, T>;
};
template <>
struct WorkOf<int> {
  using type = unsigned;
};
template <>
struct WorkOf<std::int64_t> {
  using type = std::uint64_t;
};
template <>
struct WorkOf<I128> {
  using type = U128;
};
template <>
struct WorkOf<Half> {
  using type = float;
};
template <typename T>
using Work = typename WorkOf<T>::type;

template <typename T>
Work<T> load(T value)
{
  if constexpr (std::is_same_v<T, Half>)
    return to_float(value);
  else
    return static_cast<Work<T>>(value);
}
template <typename T>
T store(Work<T> value)
{
  if constexpr (std::is_same_v<T, Half>)
    return to_half(value);
  else
    return static_cast<T>(value);
}
// For comparing: small integers and halves need no change of sign, all others are themselves.
template <typename T>
auto key(T value)
{
  if constexpr (std::is_same_v<T, Half>)
    return to_float(value);
  else
    return value;
}

struct Sum {
  template <typename T>
  static constexpr bool defined = is_integer<T> || is_real<T> || is_complex<T>::value;
  template <typename T>
  static T of(T a, T b)
  {
    return store<T>(load(a) + load(b));
  }
  template <typename T>
  static Complex<T> of(Complex<T> a, Complex<T> b)
  {
    return {of(a.re, b.re), of(a.im, b.im)};
  }
};
struct Prod {
  template <typename T>
  static constexpr bool defined = Sum::defined<T>;
  template <typename T>
  static T of(T a, T b)
  {
    return store<T>(load(a) * load(b));
  }
  template <typename T>
  static Complex<T> of(Complex<T> a, Complex<T> b)
  {
    return {store<T>(load(a.re) * load(b.re) - load(a.im) * load(b.im)),
            store<T>(load(a.re) * load(b.im) + load(a.im) * load(b.re))};
  }
};
struct Max {
  template <typename T>
  static constexpr bool defined = is_integer<T> || is_real<T>;
  template <typename T>
  static T of(T a, T b)
  {
    return key(a) > key(b) ? a : b;
  }
};
struct Min {
  template <typename T>
  static constexpr bool defined = Max::defined<T>;
  template <typename T>
  static T of(T a, T b)
  {
    return key(a) < key(b) ? a : b;
  }
};
struct Band {
  template <typename T>
  static constexpr bool defined = is_integer<T>;
  template <typename T>
  static T of(T a, T b)
  {
    return static_cast<T>(a & b);
  }
};
struct Bor {
  template <typename T>
  static constexpr bool defined = is_integer<T>;
  template <typename T>
  static T of(T a, T b)
  {
    return static_cast<T>(a | b);
  }
};
struct Bxor {
  template <typename T>
  static constexpr bool defined = is_integer<T>;
  template <typename T>
  static T of(T a, T b)
  {
    return static_cast<T>(a ^ b);
  }
};
struct Land {
  template <typename T>
  static constexpr bool defined = is_integer<T>;
  template <typename T>
  static T of(T a, T b)
  {
    return static_cast<T>((a != 0) & (b != 0));
  }
};
struct Lor {
  template <typename T>
  static constexpr bool defined = is_integer<T>;
  template <typename T>
  static T of(T a, T b)
  {
    return static_cast<T>((a != 0) | (b != 0));
  }
};
struct Lxor {
  template <typename T>
  static constexpr bool defined = is_integer<T>;
  template <typename T>
  static T of(T a, T b)
  {
    return static_cast<T>((a != 0) != (b != 0));
  }
};
// Of equal values the one with the smaller index (§6.9.4).
struct Minloc {
  template <typename T>
  static constexpr bool defined = is_pair<T>::value;
  template <typename T>
  static const T& of(const T& a, const T& b)
  {
    return a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};
struct Maxloc {
  template <typename T>
  static constexpr bool defined = is_pair<T>::value;
  template <typename T>
  static const T& of(const T& a, const T& b)
  {
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};

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
