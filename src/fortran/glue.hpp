// What the generated routines use.
#pragma once

#include <mpi.h>

#include "fortran/attribute_cells.hpp"
#include "fortran/callbacks.hpp"
#include "fortran/compiler_descriptors.hpp"
#include "fortran/pending.hpp"
#include "fortran/sections.hpp"
#include "fortran/sentinels.hpp"
#include "fortran/values.hpp"

namespace ranklet::fortran {

// What MPI_INIT says in a program whose default INTEGER has 8 bytes (-fdefault-integer-8), and ends it.
[[noreturn]] void refuse_integer8();
// What MPI_ALLREDUCE says without arguments, which only configure scripts have that link and do not run it.
[[noreturn]] void refuse_no_arguments();

}  // namespace ranklet::fortran
