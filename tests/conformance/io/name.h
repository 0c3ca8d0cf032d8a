/* A name for a file of the program. */
#ifndef CONFORMANCE_IO_NAME_H
#define CONFORMANCE_IO_NAME_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Collective: the same for all ranks, and of no other run. */
static inline void new_name(char* name, int length)
{
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const char* directory = getenv("TMPDIR");
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    snprintf(name, (size_t)length, "%s/conformance_io_%lld_%ld", directory ? directory : "/tmp",
             (long long)now.tv_sec, now.tv_nsec);
  }
  MPI_Bcast(name, length, MPI_CHAR, 0, MPI_COMM_WORLD);
}

#endif
