/* A number goes round: each rank adds its own to it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv)
{
  int rank, size, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;

  if (rank == 0) {
    MPI_Send(&sum, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    MPI_Recv(&sum, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("The sum of all ranks is %d, as it should be: %d\n", sum, size * (size - 1) / 2);
  } else {
    MPI_Recv(&sum, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += rank;
    MPI_Send(&sum, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return sum == size * (size - 1) / 2 || rank != 0 ? 0 : 1;
}
