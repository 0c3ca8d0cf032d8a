/* Persistent requests (MPI 5.0 section 3.9): all modes, MPI_Startall of a mixture, inactive requests in all calls that
   complete requests, and the errors of MPI_Start. */
#include "../check.h"
#include <stdlib.h>

static int rank, size, next, previous;

static void check_empty(const MPI_Status* status)
{
  int count = -1, flag = -1;
  CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE);
  CHECK(status->MPI_TAG == MPI_ANY_TAG);
  CALL(MPI_Get_count(status, MPI_INT, &count));
  CHECK(count == 0);
  CALL(MPI_Test_cancelled(status, &flag));
  CHECK(!flag);
}

/* Receives first in the array, so that a ready send finds its receive after the barrier. */
static void modes(void)
{
  enum { rounds = 20, kinds = 4 };
  int out[kinds], in[kinds], i, round, bytes;
  void* buffer = malloc(10000 + MPI_BSEND_OVERHEAD);
  MPI_Request requests[2 * kinds];
  MPI_Status statuses[2 * kinds];
  CALL(MPI_Buffer_attach(buffer, 10000 + MPI_BSEND_OVERHEAD));
  for (i = 0; i < kinds; ++i) CALL(MPI_Recv_init(&in[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]));
  CALL(MPI_Send_init(&out[0], 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[kinds]));
  CALL(MPI_Bsend_init(&out[1], 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[kinds + 1]));
  CALL(MPI_Ssend_init(&out[2], 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[kinds + 2]));
  CALL(MPI_Rsend_init(&out[3], 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[kinds + 3]));
  for (round = 0; round < rounds; ++round) {
    for (i = 0; i < kinds; ++i) out[i] = 1000 * rank + 10 * round + i, in[i] = -1;
    CALL(MPI_Startall(kinds, requests));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Startall(kinds, requests + kinds));
    CALL(MPI_Waitall(2 * kinds, requests, statuses));
    for (i = 0; i < kinds; ++i) {
      CHECK(in[i] == 1000 * previous + 10 * round + i);
      CHECK(statuses[i].MPI_SOURCE == previous && statuses[i].MPI_TAG == i);
    }
    for (i = 0; i < 2 * kinds; ++i) CHECK(requests[i] != MPI_REQUEST_NULL);
  }
  for (i = 0; i < 2 * kinds; ++i) CALL(MPI_Request_free(&requests[i]));
  CALL(MPI_Buffer_detach(&buffer, &bytes));
  free(buffer);
}

/* Inactive requests and null handles count as complete, and have the empty status. */
static void inactive(void)
{
  int value = 0, flag, index, count, indices[3];
  MPI_Request requests[3];
  MPI_Status status, statuses[3];
  CALL(MPI_Recv_init(&value, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]));
  CALL(MPI_Send_init(&value, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]));
  requests[2] = MPI_REQUEST_NULL;
  CALL(MPI_Wait(&requests[0], &status));
  check_empty(&status);
  flag = 0;
  CALL(MPI_Test(&requests[1], &flag, &status));
  CHECK(flag);
  check_empty(&status);
  CALL(MPI_Waitany(3, requests, &index, &status));
  CHECK(index == MPI_UNDEFINED);
  check_empty(&status);
  flag = 0;
  CALL(MPI_Testany(3, requests, &index, &flag, &status));
  CHECK(flag && index == MPI_UNDEFINED);
  check_empty(&status);
  CALL(MPI_Waitsome(3, requests, &count, indices, statuses));
  CHECK(count == MPI_UNDEFINED);
  CALL(MPI_Testsome(3, requests, &count, indices, statuses));
  CHECK(count == MPI_UNDEFINED);
  CALL(MPI_Waitall(3, requests, statuses));
  check_empty(&statuses[0]);
  check_empty(&statuses[2]);
  flag = 0;
  CALL(MPI_Testall(3, requests, &flag, statuses));
  CHECK(flag);
  check_empty(&statuses[1]);
  flag = 0;
  CALL(MPI_Request_get_status(requests[0], &flag, &status));
  CHECK(flag);
  check_empty(&status);
  CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
  CALL(MPI_Request_free(&requests[0]));
  CALL(MPI_Request_free(&requests[1]));
}

static void errors(void)
{
  int value = rank, got = -1;
  MPI_Request requests[2], ordinary;
  CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  requests[0] = MPI_REQUEST_NULL;
  CHECK(class_of(MPI_Start(&requests[0])) == MPI_ERR_REQUEST);
  CALL(MPI_Recv_init(&got, 1, MPI_INT, previous, 2, MPI_COMM_WORLD, &requests[0]));
  CALL(MPI_Send_init(&value, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[1]));
  CALL(MPI_Start(&requests[0]));
#ifndef OPEN_MPI /* 4.1 starts an active request again */
  CHECK(class_of(MPI_Start(&requests[0])) == MPI_ERR_REQUEST);
#endif
  CALL(MPI_Start(&requests[1]));
  CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK(got == previous);
  CALL(MPI_Irecv(&got, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &ordinary));
  CHECK(class_of(MPI_Start(&ordinary)) == MPI_ERR_REQUEST);
  CALL(MPI_Send(&value, 1, MPI_INT, next, 3, MPI_COMM_WORLD));
  CALL(MPI_Wait(&ordinary, MPI_STATUS_IGNORE));
  CALL(MPI_Request_free(&requests[0]));
  CALL(MPI_Request_free(&requests[1]));
}

/* A cancelled persistent receive is complete, and can be started again. */
static void cancelled(void)
{
  int in = -1, flag = 0;
  MPI_Request request;
  MPI_Status status;
  CALL(MPI_Recv_init(&in, 1, MPI_INT, previous, 4, MPI_COMM_WORLD, &request));
  CALL(MPI_Start(&request));
  CALL(MPI_Cancel(&request));
  CALL(MPI_Wait(&request, &status));
  CALL(MPI_Test_cancelled(&status, &flag));
  CHECK(flag && request != MPI_REQUEST_NULL);
  CALL(MPI_Start(&request));
  CALL(MPI_Barrier(MPI_COMM_WORLD)); /* nobody's message meets the receive that is cancelled */
  CALL(MPI_Send(&rank, 1, MPI_INT, next, 4, MPI_COMM_WORLD));
  CALL(MPI_Wait(&request, &status));
  CHECK(in == previous && status.MPI_SOURCE == previous);
  CALL(MPI_Request_free(&request));
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  modes();
  inactive();
  errors();
  cancelled();
  return finish();
}
