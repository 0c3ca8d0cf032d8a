#include "api/entry/checks.hpp"

#include <algorithm>

namespace ranklet::api {

void negative(ErrorClass error_class, const char* argument, Count value)
{
  fail(error_class, "%s is %lld, which is negative", argument, static_cast<long long>(value));
}

void bad_count(const char* argument, Count count, const Datatype& type)
{
  if (count < 0) negative(ErrorClass::count, argument, count);
  fail(ErrorClass::count,
       "%s is %lld, and sizes or offsets of so many elements of %lld bytes do not fit 64 bits", argument,
       static_cast<long long>(count), static_cast<long long>(std::max(type.size(), type.extent())));
}

void bad_rank(ErrorClass error_class, const char* argument, int rank, int peers)
{
  fail(error_class, "%s is %d, but the ranks are 0 to %d", argument, rank, peers - 1);
}

void null_pointer(ErrorClass error_class, const char* argument)
{
  fail(error_class, "%s is a null pointer", argument);
}

void stands_for_nothing(const void* address, const char* argument, const char* in_place_rule)
{
  const bool in_place = address == MPI_IN_PLACE;
  fail(ErrorClass::buffer, "%s is %s, %s", argument, in_place ? "MPI_IN_PLACE" : "MPI_BUFFER_AUTOMATIC",
       in_place ? in_place_rule : "which stands for a buffer to be attached only (MPI 5.0 §3.6)");
}

void not_in_place(const char* argument, const char* rule, const char* section)
{
  fail(ErrorClass::buffer, "%s is MPI_IN_PLACE, which it %s (%s)", argument, rule, section);
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
