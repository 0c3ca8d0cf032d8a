/* What must come between accesses of different ranks to the same data (MPI 5.0 §14.6.1). */
#ifndef CONFORMANCE_IO_SYNC_H
#define CONFORMANCE_IO_SYNC_H

#include <mpi.h>

static inline void sync_all(MPI_File fh)
{
  MPI_File_sync(fh);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(fh);
}

#endif
