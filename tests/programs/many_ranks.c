/* Many ranks, for test_many_ranks.py. */
#include <mpi.h>
#include <stdio.h>
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
    long before;
    int size, sum;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    before = sleeps();
    for (i = 0; i < rounds; ++i) {
      MPI_Request request;
      MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%f\n", (double)(sleeps() - before) / rounds / size);
  }
  for (i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
