/* Buffers that a collective call does not use may be null (MPI 5.0 §6.9.1: recvbuf is significant at the root only). */
#include "../check.h"

int main(int argc, char** argv)
{
  int rank, size, root, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (root = 0; root < size; ++root) {
    int total = -1, all[64], i;
    CALL(MPI_Reduce(&one, rank == root ? &total : NULL, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
    CHECK(rank == root ? total == size : total == -1);
    CALL(MPI_Gather(&rank, 1, MPI_INT, rank == root ? all : NULL, 1, MPI_INT, root, MPI_COMM_WORLD));
    for (i = 0; rank == root && i < size; ++i) CHECK(all[i] == i);
    CALL(MPI_Scatter(rank == root ? all : NULL, 1, MPI_INT, &total, 1, MPI_INT, root, MPI_COMM_WORLD));
    CHECK(total == rank);
  }
  return finish();
}
