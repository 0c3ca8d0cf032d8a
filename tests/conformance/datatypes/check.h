/* CHECK(condition) counts failures; finish() reports them, once per rank, and gives the exit code. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>

static int failures = 0;

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      ++failures;                                                                     \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);         \
    }                                                                                 \
  } while (0)

/* For calls that must succeed. */
#define CALL(call) CHECK((call) == MPI_SUCCESS)

/* Collective over MPI_COMM_WORLD; ends MPI. */
static int finish(void)
{
  int all = 0, rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("OK\n");
  MPI_Finalize();
  return all != 0;
}

#endif
