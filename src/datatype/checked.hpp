// Arithmetic on counts and displacements that fails instead of wrapping around.
#pragma once

#include "terms/error.hpp"
#include "terms/types.hpp"

namespace ranklet {

inline Count checked_add(Count a, Count b)
{
  Count sum;
  if (__builtin_add_overflow(a, b, &sum))
    fail(ErrorClass::value_too_large, "%lld + %lld bytes or elements do not fit 64 bits",
         static_cast<long long>(a), static_cast<long long>(b));
  return sum;
}

inline Count checked_mul(Count a, Count b)
{
  Count product;
  if (__builtin_mul_overflow(a, b, &product))
    fail(ErrorClass::value_too_large, "%lld * %lld bytes or elements do not fit 64 bits",
         static_cast<long long>(a), static_cast<long long>(b));
  return product;
}

}  // namespace ranklet
