/* Every rank says who and where it is, one after the other. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv)
{
  int rank, size, length;
  char host[MPI_MAX_PROCESSOR_NAME];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_processor_name(host, &length);
  for (int turn = 0; turn < size; ++turn) {
    if (turn == rank) printf("Hello from rank %d of %d on %s\n", rank, size, host);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
