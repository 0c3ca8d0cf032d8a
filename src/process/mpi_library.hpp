// The names of the MPI library. libmpi_abi.so.1 is what the implementations of the standard's ABI agreed on;
// some were released with libmpi_abi.so.0, for the same ABI, and a link without a soname records none.
#pragma once

#include <array>
#include <string_view>

namespace ranklet::loader {

inline constexpr const char* mpi_library = "libmpi_abi.so.1";

// Does a program that needs this name, or a path that ends in it, need our library?
constexpr bool is_mpi_library(std::string_view name)
{
  constexpr std::array<std::string_view, 3> names = {mpi_library, "libmpi_abi.so.0", "libmpi_abi.so"};
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  for (const std::string_view known : names)
    if (name == known) return true;
  return false;
}

// The name of the MPI that a library of that soname belongs to; nullptr if it is none or ours (classify.cpp).
const char* foreign_mpi(std::string_view soname);

}  // namespace ranklet::loader
