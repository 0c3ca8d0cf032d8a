// What the predefined operators make of two elements (MPI 5.0 §6.9.2).
#pragma once

#include <cstdint>
#include <type_traits>

#include "datatype/basic.hpp"
#include "datatype/half.hpp"

namespace ranklet::operators {

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
  template <typename V, typename I>
  static bool is_first(V a, I a_index, V b, I b_index)
  {
    return a < b || (a == b && a_index < b_index);
  }
};
struct Maxloc {
  template <typename T>
  static constexpr bool defined = is_pair<T>::value;
  template <typename V, typename I>
  static bool is_first(V a, I a_index, V b, I b_index)
  {
    return a > b || (a == b && a_index < b_index);
  }
};

}  // namespace ranklet::operators
