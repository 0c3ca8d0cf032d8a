/* For programs that test an MPI through mpi.h only: any implementation's compiler wrapper builds them. */
#ifndef CONFORMANCE_CHECK_H
#define CONFORMANCE_CHECK_H

#include <mpi.h>
#include <stdio.h>

static int check_failures;

static inline void check_that(int holds, const char* what, const char* file, int line)
{
  if (holds) return;
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "%s:%d: rank %d: not true: %s\n", file, line, rank, what);
  ++check_failures;
}
#define CHECK(condition) check_that((condition) != 0, #condition, __FILE__, __LINE__)
/* For calls that must succeed. */
#define CALL(call) CHECK((call) == MPI_SUCCESS)

/* The class of a code that a call returned under MPI_ERRORS_RETURN. */
static inline int class_of(int code)
{
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/* Collective over MPI_COMM_WORLD; ends MPI. The exit code is nonzero on all ranks if a check failed on any. */
static inline int finish(void)
{
  int any = 0;
  MPI_Allreduce(&check_failures, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any != 0;
}

#endif
