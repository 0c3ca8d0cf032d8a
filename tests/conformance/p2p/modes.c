/* All modes of sends, blocking and not, to the next process, received behind a probe (MPI 5.0 §3.4, §3.7.2
   and §3.8), and a replacing exchange (§3.10). */
#include <stdlib.h>

#include "../check.h"

static int rank, size, next, previous;

static void receive(int tag, int wanted)
{
  MPI_Status status;
  int got = -1, count = 0;
  CALL(MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status));
  CALL(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == tag && count == 1);
  CALL(MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status));
  CHECK(got == wanted && status.MPI_SOURCE == previous && status.MPI_TAG == tag);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  MPI_Request request, receiving;
  int in = -1;

  CALL(MPI_Isend(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &request));
  receive(1, previous);
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CALL(MPI_Issend(&rank, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &request));
  receive(2, previous);
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));

  /* Ready mode: the receives are posted before the barrier. */
  CALL(MPI_Irecv(&in, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &receiving));
  MPI_Barrier(MPI_COMM_WORLD);
  CALL(MPI_Rsend(&rank, 1, MPI_INT, next, 3, MPI_COMM_WORLD));
  CALL(MPI_Wait(&receiving, MPI_STATUS_IGNORE));
  CHECK(in == previous);
  in = -1;
  CALL(MPI_Irecv(&in, 1, MPI_INT, previous, 4, MPI_COMM_WORLD, &receiving));
  MPI_Barrier(MPI_COMM_WORLD);
  CALL(MPI_Irsend(&rank, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &request));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CALL(MPI_Wait(&receiving, MPI_STATUS_IGNORE));
  CHECK(in == previous);

  /* A synchronous send ends after its receive has begun. */
  in = -1;
  CALL(MPI_Irecv(&in, 1, MPI_INT, previous, 5, MPI_COMM_WORLD, &receiving));
  CALL(MPI_Ssend(&rank, 1, MPI_INT, next, 5, MPI_COMM_WORLD));
  CALL(MPI_Wait(&receiving, MPI_STATUS_IGNORE));
  CHECK(in == previous);
  int flag = -1;
  CALL(MPI_Issend(&rank, 1, MPI_INT, next, 6, MPI_COMM_WORLD, &request));
  if (size == 1) {
    CALL(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK(flag == 0);
  }
  receive(6, previous);
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));

  enum { many = 50000 };
  int* numbers = malloc(many * sizeof *numbers);
  MPI_Status status;
  for (int i = 0; i < many; ++i) numbers[i] = rank * many + i;
  CALL(MPI_Sendrecv_replace(numbers, many, MPI_INT, next, 7, previous, 7, MPI_COMM_WORLD, &status));
  int wrong = 0;
  for (int i = 0; i < many; ++i) wrong += numbers[i] != previous * many + i;
  CHECK(wrong == 0 && status.MPI_SOURCE == previous);
  free(numbers);
  return finish();
}
