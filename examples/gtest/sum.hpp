// What the examples test: the sum of all ranks' numbers, passed from rank to rank around a ring.
#pragma once

#include <mpi.h>

inline int ring_sum(int mine, MPI_Comm comm)
{
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int sum = mine;
  int travelling = mine;
  for (int step = 1; step < size; ++step) {
    MPI_Sendrecv_replace(&travelling, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, comm,
                         MPI_STATUS_IGNORE);
    sum += travelling;
  }
  return sum;
}
