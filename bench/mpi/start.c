// The smallest useful program: every rank says hello and the sum of the ranks is checked. What the
// runner times is the whole life of the job, from mpiexec's start to its end; the line below only says
// how long MPI_Init and the first collective call took in the slowest rank.

#include "measure.h"

int main(int argc, char** argv)
{
  double before = now_ns();
  MPI_Init(&argc, &argv);
  double mine[2], slowest[2];
  mine[0] = now_ns() - before;
  int rank, size, sum = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  before = now_ns();
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  mine[1] = now_ns() - before;
  if (sum != size * (size - 1) / 2) wrong("the ranks' sum is %d on %d ranks", sum, size);
  MPI_Reduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  printf("hello rank=%d size=%d\n", rank, size);
  if (rank == 0) printf("start init_ns=%.0f first_allreduce_ns=%.0f\n", slowest[0], slowest[1]);
  MPI_Finalize();
  return 0;
}
