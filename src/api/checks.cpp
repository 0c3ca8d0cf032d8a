#include "api/checks.hpp"

namespace ranklet::api {

void negative(ErrorClass error_class, const char* argument, Count value)
{
  fail(error_class, "%s is %lld, which is negative", argument, static_cast<long long>(value));
}

void bad_rank(ErrorClass error_class, const char* argument, int rank, int peers)
{
  fail(error_class, "%s is %d, but the ranks are 0 to %d", argument, rank, peers - 1);
}

void null_pointer(ErrorClass error_class, const char* argument)
{
  fail(error_class, "%s is a null pointer", argument);
}

void wildcard_excluded(ErrorClass error_class, const char* argument, const char* wildcard, const char* hint)
{
  fail(error_class, "%s is %s, but the communicator's info says that %s is true", argument, wildcard, hint);
}

void not_committed(const char* argument, const Datatype& type)
{
  const std::string name = type.name().empty() ? "" : " '" + type.name() + "'";
  fail(ErrorClass::type, "%s is a derived datatype%s that was not committed by MPI_Type_commit", argument,
       name.c_str());
}

}  // namespace ranklet::api
