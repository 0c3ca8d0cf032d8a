/* What test_handover.py starts by scripts: the first argument says what to do. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile sig_atomic_t got;

static void note(int number)
{
  got = number;
}

int main(int argc, char** argv)
{
  const char* const what = argc > 1 ? argv[1] : "hello";
  if (strcmp(what, "--version") == 0) return puts("handed_over 1.0") < 0;
  MPI_Init(&argc, &argv);
  int rank, size, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int code = 0;
  if (strcmp(what, "hello") == 0) {
    printf("%d of %d sum %d:", rank, size, sum);
    for (int i = 2; i < argc; ++i) printf(" <%s>", argv[i]);
    printf("\n");
  } else if (strcmp(what, "state") == 0) {
    char directory[4096];
    const mode_t mask = umask(0);
    struct rlimit stack;
    getrlimit(RLIMIT_STACK, &stack);
    cpu_set_t cpus;
    sched_getaffinity(0, sizeof cpus, &cpus);
    const char* const variable = getenv("OWN");
    printf("%d: %s umask %03o nice %d cpus %d OWN=%s\n", rank, getcwd(directory, sizeof directory), (unsigned)mask,
           getpriority(PRIO_PROCESS, 0), CPU_COUNT(&cpus), variable ? variable : "");
  } else if (strcmp(what, "read") == 0) {
    char line[100] = "nothing";
    if (!fgets(line, sizeof line, stdin)) strcpy(line, "end\n");
    printf("%d: %s", rank, line);
  } else if (strcmp(what, "write") == 0) {
    const char* const text = rank == 0 ? "zero\n" : "more\n";
    if (write(atoi(argv[2]), text, 5) != 5) return 9;
  } else if (strcmp(what, "code") == 0) {
    code = rank + atoi(argv[2]);
  } else if (strcmp(what, "abort") == 0) {
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(what, "crash") == 0) {
    if (rank == 1) *(volatile int*)16 = 1;
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(what, "wait") == 0) {
    signal(SIGUSR2, note);
    printf("ready\n");
    if (rank == 1) {
      while (!got) usleep(1000);
      printf("1 got %s\n", strsignal(got));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return code;
}
