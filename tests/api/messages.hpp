// A message between ranks of ranklet::run whose data is no matter.
#pragma once

#include <mpi.h>

namespace ranklet::test {

inline void receive_from(int source, int tag = 0)
{
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

inline void send_to(int rank, int tag = 0)
{
  const int value = 0;
  MPI_Send(&value, 1, MPI_INT, rank, tag, MPI_COMM_WORLD);
}

}  // namespace ranklet::test
