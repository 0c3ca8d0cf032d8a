// Copies runs of equal length from one regular or listed set of places to another.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/byte_at.hpp"
#include "terms/types.hpp"

namespace ranklet {

// Addresses of the runs of a strip.
template <typename Byte>
struct Strided {
  Byte* base;
  Count stride;
  Byte* operator()(Count i) const { return base + i * stride; }
  bool dense(Count block) const { return stride == block; }
};
template <typename Byte>
struct Listed {
  Byte* base;
  const Count* offsets;
  Byte* operator()(Count i) const { return byte_at(base, offsets[i]); }
  bool dense(Count) const { return false; }
};

namespace detail {

template <typename T>
T load(const char* from)
{
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// 16 bytes of numbers, which go from or to a dense place in one move.
template <typename T>
struct Lanes {
  static constexpr Count count = 16 / sizeof(T);
  typedef T Vector __attribute__((vector_size(16)));

  template <typename Src>
  static Vector gather(Src src, Count i)
  {
    if constexpr (count == 2)
      return Vector{load<T>(src(i)), load<T>(src(i + 1))};
    else
      return Vector{load<T>(src(i)), load<T>(src(i + 1)), load<T>(src(i + 2)), load<T>(src(i + 3))};
  }
  template <typename Dst>
  static void scatter(Vector lanes, Dst dst, Count i)
  {
    for (Count k = 0; k < count; ++k) {
      const T value = lanes[k];
      std::memcpy(dst(i + k), &value, sizeof value);
    }
  }
};

// A constant size turns memcpy into plain moves.
template <std::size_t size, typename Dst, typename Src>
void copy_runs_of(Dst dst, Src src, Count n, Count from = 0)
{
  for (Count i = from; i < n; ++i) std::memcpy(dst(i), src(i), size);
}

// Where one side is dense, several numbers at a time.
template <typename T, typename Dst, typename Src>
void copy_numbers(Dst dst, Src src, Count n)
{
  Count i = 0;
  if (dst.dense(sizeof(T))) {
    for (; i + Lanes<T>::count <= n; i += Lanes<T>::count) {
      const auto lanes = Lanes<T>::gather(src, i);
      std::memcpy(dst(i), &lanes, sizeof lanes);
    }
  } else if (src.dense(sizeof(T))) {
    for (; i + Lanes<T>::count <= n; i += Lanes<T>::count)
      Lanes<T>::scatter(load<typename Lanes<T>::Vector>(src(i)), dst, i);
  }
  copy_runs_of<sizeof(T)>(dst, src, n, i);
}

}  // namespace detail

// n runs of `block` bytes.
template <typename Dst, typename Src>
void copy_runs(Dst dst, Src src, Count block, Count n)
{
  switch (block) {
    case 1:
      return detail::copy_runs_of<1>(dst, src, n);
    case 2:
      return detail::copy_runs_of<2>(dst, src, n);
    case 4:
      return detail::copy_numbers<std::uint32_t>(dst, src, n);
    case 8:
      return detail::copy_numbers<std::uint64_t>(dst, src, n);
    case 12:
      return detail::copy_runs_of<12>(dst, src, n);
    case 16:
      return detail::copy_runs_of<16>(dst, src, n);
    case 24:
      return detail::copy_runs_of<24>(dst, src, n);
    case 32:
      return detail::copy_runs_of<32>(dst, src, n);
    case 48:
      return detail::copy_runs_of<48>(dst, src, n);
    case 64:
      return detail::copy_runs_of<64>(dst, src, n);
    default:
      for (Count i = 0; i < n; ++i) std::memcpy(dst(i), src(i), static_cast<std::size_t>(block));
  }
}

}  // namespace ranklet
