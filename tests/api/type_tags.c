/* What clang says of buffers and datatypes with -DRANKLET_TYPE_TAGS, and of what it says nothing: compiled
 * with -verify. */
#include <mpi.h>
#include <stdlib.h>

struct pair {
  double value;
  int index;
};

void right(MPI_Datatype derived, MPI_Comm comm)
{
  int x[5];
  double matrix[3][4];
  struct pair best;
  unsigned char bytes[8];
  int64_t wide;
  void* anything = malloc(8);
  MPI_Send(x, 5, MPI_INT, 0, 0, comm);
  MPI_Send(matrix[0], 12, MPI_DOUBLE, 0, 0, comm);
  MPI_Send(&wide, 1, MPI_INT64_T, 0, 0, comm);
  MPI_Send(matrix, 1, derived, 0, 0, comm);
  MPI_Send(matrix, sizeof matrix, MPI_BYTE, 0, 0, comm);
  MPI_Send(anything, 2, MPI_INT, 0, 0, comm);
  MPI_Send(NULL, 0, MPI_INT, 0, 0, comm);
  MPI_Send(bytes, 8, MPI_UINT8_T, 0, 0, comm);
  MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  MPI_Gather(x, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, comm);
  MPI_Put_c(x, 5, MPI_INT, 0, 0, 5, MPI_INT, MPI_WIN_NULL);
}

void wrong(MPI_Comm comm, MPI_File file)
{
  int x[5];
  float y;
  long z;
  struct pair best;
  MPI_Status status;
  MPI_Send(x, 5, MPI_DOUBLE, 0, 0, comm);          /* expected-warning {{requires 'double *'}} */
  MPI_Recv(&y, 1, MPI_INT, 0, 0, comm, &status);   /* expected-warning {{requires 'int *'}} */
  MPI_Bcast(&z, 1, MPI_INT, 0, comm);              /* expected-warning {{requires 'int *'}} */
  MPI_Reduce(x, &y, 1, MPI_INT, MPI_SUM, 0, comm); /* expected-warning {{requires 'int *'}} */
  MPI_Reduce(&best, NULL, 1, MPI_FLOAT_INT, MPI_MAXLOC, 0, comm); /* expected-warning {{doesn't match}} */
  MPI_Gather(x, 1, MPI_INT, &y, 1, MPI_FLOAT, 0, comm);
  MPI_Gather(x, 1, MPI_FLOAT, &y, 1, MPI_FLOAT, 0, comm);   /* expected-warning {{requires 'float *'}} */
  MPI_Put(x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_WIN_NULL); /* expected-warning {{requires 'long *'}} */
  MPI_Fetch_and_op(x, &z, MPI_LONG, 0, 0, MPI_SUM, MPI_WIN_NULL); /* expected-warning {{requires 'long *'}} */
  MPI_File_write_at_c(file, 0, x, 1, MPI_CHAR, &status);          /* expected-warning {{requires 'char *'}} */
}
