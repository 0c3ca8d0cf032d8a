/* A message that is longer than the receive's buffer is an error of the receive (MPI 5.0 sections 3.2.4, 3.10, 9.3), in
   each form of it.
   mpich: MPI_Isendrecv does not report it
   openmpi: a message to oneself for which a receive is posted is cut without an error */
#include "../check.h"

static int rank, size, next, previous;
static int out[4] = {1, 2, 3, 4}, in[2];

static void is_truncated(int code)
{
  CHECK(class_of(code) == MPI_ERR_TRUNCATE);
}

int main(int argc, char** argv)
{
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));

  is_truncated(MPI_Sendrecv(out, 4, MPI_INT, next, 1, in, 2, MPI_INT, previous, 1, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
  CALL(MPI_Isend(out, 4, MPI_INT, next, 2, MPI_COMM_WORLD, &request));
  is_truncated(MPI_Recv(in, 2, MPI_INT, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
#if MPI_VERSION >= 4
  CALL(MPI_Isendrecv(out, 4, MPI_INT, next, 6, in, 2, MPI_INT, previous, 6, MPI_COMM_WORLD, &request));
  is_truncated(MPI_Wait(&request, MPI_STATUS_IGNORE));
#endif
  return finish();
}
