// The core's enumerations that have other values in mpi.h.
#pragma once

#include "api/handles/objects.hpp"

namespace ranklet::api {

constexpr int comparison_constant(Comparison comparison) noexcept
{
  switch (comparison) {
    case Comparison::ident:
      return MPI_IDENT;
    case Comparison::congruent:
      return MPI_CONGRUENT;
    case Comparison::similar:
      return MPI_SIMILAR;
    case Comparison::unequal:
      break;
  }
  return MPI_UNEQUAL;
}

}  // namespace ranklet::api
