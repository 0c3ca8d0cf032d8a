// Attributes across languages (MPI 5.0 §19.3.7). C stores pointers, Fortran integers as large as addresses. What Fortran
// stores is a pointer to a cell that holds the integer: that is what C reads by the standard's rule. Fortran reads the
// integer of a cell, the address itself if C stored it, and the numbers behind the predefined attributes.
#pragma once

#include <mpi.h>

#include "fortran/values.hpp"

namespace ranklet::fortran {

// The cell that holds a value. There is one for each value, never freed: attributes are copied as pointers, so nobody
// knows when the last one is gone.
void* attribute_cell(MPI_Aint value);

// What Fortran gets for a pointer that is the value of an attribute with this key.
MPI_Aint attribute_value(int keyval, void* pointer);

}  // namespace ranklet::fortran
