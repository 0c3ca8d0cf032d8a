// IEEE binary16 as a storage format: arithmetic is done in float. (Compilers of the supported range do not
// all have _Float16.)
#pragma once

#include <bit>
#include <cstdint>

namespace ranklet {

struct Half {
  std::uint16_t bits;
};

inline float to_float(Half half)
{
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (half.bits >> 10) & 0x1fu;
  const std::uint32_t fraction = half.bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) {
    // Subnormal: fraction * 2^-24 is exact in float.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

// Rounds to nearest, ties to even.
inline Half to_half(float value)
{
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  std::uint32_t half;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u | (magnitude >> 13 & 0x3ffu);  // a quiet NaN that keeps its payload
  } else if (magnitude >= 0x477ff000u) {
    half = 0x7c00u;  // 65520 and more round to infinity
  } else if (magnitude < 0x38800000u) {
    // Below 2^-14 the result is subnormal: adding 0.5 makes the float unit round at 2^-24.
    const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    half = std::bit_cast<std::uint32_t>(rounded) - 0x3f000000u;
  } else {
    const std::uint32_t odd = magnitude >> 13 & 1u;
    half = (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
  }
  return {static_cast<std::uint16_t>(sign | half)};
}

}  // namespace ranklet
