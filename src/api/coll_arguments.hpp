// The arguments of collective functions as coll wants them.
#pragma once

#include <vector>

#include "api/entry.hpp"
#include "coll/coll.hpp"

namespace ranklet::api::coll_arguments {

inline const void* send_buffer(const void* buffer)
{
  return buffer == MPI_IN_PLACE ? coll::in_place : buffer;
}

inline coll::Array array(CountArray counts)
{
  return counts.large() ? coll::Array(static_cast<const Count*>(counts.data()))
                        : coll::Array(static_cast<const int*>(counts.data()));
}

inline coll::Part part(const void* buffer, Count count, const Datatype* type)
{
  return {send_buffer(buffer), count, type};
}

inline coll::Blocks blocks(const void* buffer, Count count, const Datatype* type)
{
  return {send_buffer(buffer), count, type};
}

inline coll::Blocks blocks(const void* buffer, CountArray counts, CountArray displacements,
                           const Datatype* type)
{
  return {send_buffer(buffer), array(counts), array(displacements), type};
}

inline void check_counts(CountArray counts, int n, const char* argument)
{
  for (int i = 0; i < n; ++i) check_count(counts[static_cast<std::size_t>(i)], argument);
}

inline std::vector<const Datatype*> look_up(const HandleArray<TypeHandle>& types, int n, const char* argument)
{
  std::vector<const Datatype*> found(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i] = &types[i];
    check_committed(*found[i], argument);
  }
  return found;
}

}  // namespace ranklet::api::coll_arguments
