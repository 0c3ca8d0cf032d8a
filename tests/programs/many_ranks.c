/* Many ranks, for test_many_ranks.py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static double used(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* How often threads have gone to sleep. */
static long sleeps(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

int main(int argc, char** argv)
{
  int rank, i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && strcmp(argv[1], "wait") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    /* The times are the experiment: it measures what happens while nothing happens. */
    if (rank == 0) {
      double before;
      sleep(2);
      before = used();
      sleep(2);
      printf("%f\n", used() - before);
    }
  }
  if (argc > 1 && strcmp(argv[1], "wrong") == 0) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  }
  if (argc > 1 && strcmp(argv[1], "window") == 0) {
    char* base;
    MPI_Win window;
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_free(&window);
  }
  if (argc > 1 && strcmp(argv[1], "nonblocking") == 0) {
    const int rounds = 20;
    int kind, size, sums[2], *all;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    all = malloc((size_t)size * sizeof *all);
    for (kind = 0; kind < 3; ++kind) {
      long before;
      MPI_Barrier(MPI_COMM_WORLD);
      before = sleeps();
      for (i = 0; i < rounds; ++i) {
        MPI_Request requests[2];
        MPI_Iallreduce(&rank, &sums[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
        if (kind == 0) {
          MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        } else if (kind == 1) {
          MPI_Iallreduce(&rank, &sums[1], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &requests[1]);
          MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        } else {
          MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
          MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[1]);
          MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        }
      }
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0) printf("%f\n", (double)(sleeps() - before) / rounds / size);
    }
    free(all);
  }
  for (i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
