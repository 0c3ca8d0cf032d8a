/* A program that is started without mpiexec and starts others (test_singleton.py). */
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char** environ;

static void on_signal(int number)
{
  (void)number;
  _exit(8);
}

int main(int argc, char** argv)
{
  const char* const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "environment") == 0)
    for (char** entry = environ; *entry != NULL; ++entry) printf("%s\n", *entry);
  if (strcmp(what, "wait") == 0 || strcmp(what, "handle") == 0) {
    if (strcmp(what, "handle") == 0) signal(SIGTERM, on_signal);
    printf("ready\n");
    fflush(stdout);
    while (getchar() != EOF)
      ;
    return 0;
  }
  if (strcmp(what, "files") == 0) {
    char line[100] = "";
    if (fgets(line, sizeof line, stdin) == NULL) strcpy(line, "end\n");
    printf("%s %s %s", argv[0], argv[2], line);
    fprintf(stderr, "complaint\n");
    return dprintf(9, "to nine\n") != 8;
  }
  MPI_Comm parent, children;
  int rank, size;
  MPI_Init(&argc, &argv);
  if (strcmp(what, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_parent(&parent);
#ifndef NO_SPAWN
  if (strcmp(what, "spawn") == 0) {
    char* arguments[] = {"child", NULL};
    int sum;
    MPI_Comm_spawn(argv[2], arguments, 3, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
    MPI_Reduce(NULL, &sum, 1, MPI_INT, MPI_SUM, MPI_ROOT, children);
    printf("rank %d of %d has children with the sum %d\n", rank, size, sum);
    MPI_Comm_disconnect(&children);
  }
#endif
  if (parent != MPI_COMM_NULL) {
    MPI_Reduce(&rank, NULL, 1, MPI_INT, MPI_SUM, 0, parent);
    MPI_Comm_disconnect(&parent);
  }
  (void)children;
  MPI_Finalize();
  return strcmp(what, "code") == 0 ? atoi(argv[2]) : 0;
}
