// What is wrong in a program before MPI can say so by an error.
#include <cstdio>
#include <cstdlib>

#include "fortran/glue.hpp"

namespace ranklet::fortran {

void refuse_integer8()
{
  std::fputs(
      "MPI_INIT: this program was compiled with a default INTEGER of 8 bytes (-fdefault-integer-8, -i8); "
      "MPI's "
      "INTEGER has 4: compile without the option, and declare what needs 8 bytes as INTEGER(8)\n",
      stderr);
  std::exit(1);
}

void refuse_no_arguments()
{
  std::fputs("MPI_ALLREDUCE: called without arguments\n", stderr);
  std::exit(1);
}

}  // namespace ranklet::fortran
