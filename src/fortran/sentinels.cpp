#include "fortran/sentinels.hpp"

#include <cstddef>

namespace ranklet::fortran {

// Initialised, so that it is no tentative definition; as large as the programs' block and aligned at least as they align
// it, or else linkers speak of a changed size.
alignas(64) Sentinels ranklet_fortran_sentinels = {
    .bottom = 1, .in_place = 1, .buffer_automatic = 1, .status_ignore = {}, .statuses_ignore = {}, .errcodes_ignore = 1,
    .unweighted = 1, .weights_empty = 1, .argv_null = ' ', .argvs_null = ' ', .end = {}};

void* meaning_of_sentinel(const void* address)
{
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) -
                                               reinterpret_cast<const char*>(&ranklet_fortran_sentinels));
  switch (offset) {
    case offsetof(Sentinels, in_place): return MPI_IN_PLACE;
    case offsetof(Sentinels, buffer_automatic): return MPI_BUFFER_AUTOMATIC;
    case offsetof(Sentinels, unweighted): return MPI_UNWEIGHTED;
    case offsetof(Sentinels, weights_empty): return MPI_WEIGHTS_EMPTY;
    default: return nullptr;  // MPI_BOTTOM, MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE, MPI_ARGV_NULL …
  }
}

}  // namespace ranklet::fortran
