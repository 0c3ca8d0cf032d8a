// Which library this is.
#pragma once

#include <string_view>

namespace ranklet {

// "0.1.0"
std::string_view version();
// The text of MPI_Get_library_version: name, version, compiler.
std::string_view library_version();

}  // namespace ranklet
