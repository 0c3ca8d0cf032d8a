/* For --check=all: mistakes that show in different ways of running. */
#include <stdio.h>
#include <unistd.h>

#include "tasks.h"

/* Nothing is wrong; rank 0 shows its input, wherever it runs. */
static void right(void)
{
  char line[100] = "";
  int got = rank;
  if (rank == 0 && fgets(line, sizeof line, stdin) == NULL) strcpy(line, "nothing\n");
  MPI_Bcast(line, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (strcmp(line, "seven\n") != 0) MPI_Abort(MPI_COMM_WORLD, 9);
  if (rank == 0)
    for (int i = 1; i < size; ++i)
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("read %s", line);
}

/* Needs buffered sends. */
static void exchange(void)
{
  int got = 0;
  MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Recv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Fails if rank 2 comes first. */
static void first_come(void)
{
  int first = 0, second = 0;
  if (rank == 0) {
    MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (first == 2) MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
}

static void leak(void)
{
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
}

static void advised(void)
{
  MPI_Aint one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_AINT, MPI_LAND, MPI_COMM_WORLD);
}

static void fails(void)
{
  MPI_Finalize();
  exit(rank == 0 ? 3 : 0);
}

static void deserts(void)
{
  exit(rank == 0 ? 3 : 0);
}

static void starts(void)
{
  MPI_Comm parent, children;
  MPI_Comm_get_parent(&parent);
  char* arguments[] = {"starts", NULL};
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn("./every_way", arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&children);
  } else {
    MPI_Comm_disconnect(&parent);
  }
}

/* Never ends. */
static void stays(void)
{
  if (rank == 0) puts("here"), fflush(stdout);
  for (;;) pause();
}

int main(int argc, char** argv)
{
  static const struct task tasks[] = {
      {"right", right},     {"exchange", exchange}, {"first-come", first_come},
      {"leak", leak},       {"advised", advised},   {"fails", fails},
      {"deserts", deserts}, {"starts", starts},     {"stays", stays},
  };
  return run_task(tasks, sizeof tasks / sizeof *tasks, argc, argv, MPI_THREAD_SINGLE);
}
