#include "api/entry.hpp"

namespace ranklet::api {

int unsupported(const FunctionInfo&, bool, const Word*, const void*)
{
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

}  // namespace ranklet::api
