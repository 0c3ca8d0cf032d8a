/* What test_debugging.py looks at with debuggers and other tools. The argument says what the last rank, or
   rank 0 for "wait", does besides. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int own; /* each rank has its own */

static int compute(int rank, int* place)
{
  own = 10 + rank;
  *place = rank; /* here */
  return rank + 1;
}

static double busy(void)
{
  double sum = 0;
  const double begin = MPI_Wtime();
  while (MPI_Wtime() - begin < 0.3)
    for (int i = 1; i < 1000; ++i) sum += 1.0 / i;
  return sum;
}

int main(int argc, char** argv)
{
  int rank, size, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* what = argc > 1 ? argv[1] : "";
  const int crashes = strcmp(what, "crash") == 0 && rank == size - 1;
  const int next = compute(rank, crashes ? NULL : &value);
  if (strcmp(what, "heap") == 0 && rank == size - 1) {
    volatile int* const block = malloc(10 * sizeof(int));
    block[10] = next; /* beyond */
    free((void*)block);
  }
  if (strcmp(what, "busy") == 0) value += (int)busy();
  if (strcmp(what, "wait") == 0 && rank == 0) {
    puts("waiting");
    fflush(stdout);
    value += getchar();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return value < 0;
}
