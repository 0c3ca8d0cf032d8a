// What calls that may not come between the halves of a split collective access ask first (MPI 5.0 §14.4.5).
#pragma once

#include "io/file.hpp"

namespace ranklet::io {

// Errors: unsupported_operation, if such an access is open.
void check_no_split(const File& file);

}  // namespace ranklet::io
