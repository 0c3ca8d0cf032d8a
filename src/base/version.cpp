#include "base/version.hpp"

namespace ranklet {

std::string_view version()
{
  return RANKLET_VERSION;
}

std::string_view library_version()
{
  return "Ranklet " RANKLET_VERSION ", MPI 5.0, standard ABI, compiler " __VERSION__;
}

}  // namespace ranklet
