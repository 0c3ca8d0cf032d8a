#pragma once

#include <doctest/doctest.h>
#include <mpi.h>

namespace ranklet::test {

inline int class_of(int code)
{
  int error_class = -1;
  REQUIRE(MPI_Error_class(code, &error_class) == MPI_SUCCESS);
  return error_class;
}

}  // namespace ranklet::test
