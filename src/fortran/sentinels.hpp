// What stands in Fortran for C's special values. A Fortran variable cannot lie at the address 0 or 1, so programs pass
// variables of one COMMON block instead, and the routines know them by their addresses (MPI 5.0 §2.5.4, §19.1.4).
//
// Every module of a program that names one of them brings the block along. This library is private to a rank, and so is
// the block that its references are bound to; nothing outside the library ever sees its address.
#pragma once

#include <cstdint>

#include <mpi.h>

namespace ranklet::fortran {

// In the order of SENTINELS in src/api/generator/fortran_modules.py.
struct Sentinels {
  int bottom;
  int in_place;
  int buffer_automatic;
  int status_ignore[8];
  int statuses_ignore[8];
  int errcodes_ignore;
  int unweighted;
  int weights_empty;
  char argv_null;
  char argvs_null;
  char end[2];
};

extern "C" {
extern Sentinels ranklet_fortran_sentinels;
}

// Whether the address is one of the block; one comparison.
inline bool is_sentinel(const void* address)
{
  const auto begin = reinterpret_cast<std::uintptr_t>(&ranklet_fortran_sentinels);
  return reinterpret_cast<std::uintptr_t>(address) - begin < sizeof(Sentinels);
}

// C's value for an address in the block.
void* meaning_of_sentinel(const void* address);

// The address of a buffer or an array as C gets it.
template <class T>
T* choice(T* address)
{
  if (is_sentinel(address)) [[unlikely]]
    return static_cast<T*>(meaning_of_sentinel(address));
  return address;
}

// The address of a detached buffer as Fortran gets it: MPI_BUFFER_AUTOMATIC is a variable (MPI 5.0 §3.6).
inline void* detached(void* buffer)
{
  return buffer == MPI_BUFFER_AUTOMATIC ? &ranklet_fortran_sentinels.buffer_automatic : buffer;
}

}  // namespace ranklet::fortran
