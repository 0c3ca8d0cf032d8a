// The descriptors of the Fortran compiler: its header is C.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <ISO_Fortran_binding.h>
#pragma GCC diagnostic pop
