/* Requests of short sends, which are complete when their calls return: many at a time, waited
   for, tested, looked at, freed and cancelled in any order (MPI 5.0 sections 3.7.3 to 3.7.6 and 3.8.4). */
#include "../check.h"

enum { messages = 300 };

static int rank, size, next, previous;

static void receive_all(int tag)
{
  int i, value = -1;
  for (i = 0; i < messages; ++i) {
    CALL(MPI_Recv(&value, 1, MPI_INT, previous, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(value == i);
  }
}

int main(int argc, char** argv)
{
  MPI_Request requests[messages];
  MPI_Status status, statuses[messages];
  int values[messages], indices[messages];
  int i, flag, count, index, done;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  for (i = 0; i < messages; ++i) values[i] = i;

  for (i = 0; i < messages; ++i)
    CALL(MPI_Isend(&values[i], 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[i]));
  for (i = 0; i < messages; ++i) CHECK(requests[i] != MPI_REQUEST_NULL);
  receive_all(1);
  /* Each third is freed, cancelled, or looked at before all end. */
  for (i = 0; i < messages; i += 3) {
    CALL(MPI_Request_free(&requests[i]));
    CHECK(requests[i] == MPI_REQUEST_NULL);
    CALL(MPI_Cancel(&requests[i + 1]));
    do CALL(MPI_Request_get_status(requests[i + 2], &flag, &status));
    while (!flag);
    CHECK(requests[i + 2] != MPI_REQUEST_NULL);
  }
  CALL(MPI_Waitall(messages, requests, statuses));
  for (i = 0; i < messages; ++i) {
    CHECK(requests[i] == MPI_REQUEST_NULL);
    CALL(MPI_Test_cancelled(&statuses[i], &flag));
    CHECK(!flag); /* it was received */
  }

  for (i = 0; i < messages; ++i)
    CALL(MPI_Isend(&values[i], 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[i]));
  receive_all(2);
  for (done = 0; done < messages / 3; ++done) {
    CALL(MPI_Waitany(messages, requests, &index, &status));
    CHECK(index >= 0 && index < messages && requests[index] == MPI_REQUEST_NULL);
  }
  CALL(MPI_Testsome(messages, requests, &count, indices, statuses));
  for (done += count; done < messages; done += count)
    CALL(MPI_Waitsome(messages, requests, &count, indices, statuses));
  CHECK(done == messages);
  for (i = 0; i < messages; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);

  /* A receive of each among the sends. */
  for (i = 0; i < messages; i += 2) {
    CALL(MPI_Irecv(&values[i], 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &requests[i]));
    CALL(MPI_Isend(&values[i + 1], 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[i + 1]));
  }
  CALL(MPI_Waitall(messages, requests, statuses));
  for (i = 0; i < messages; i += 2) {
    CHECK(values[i] == i + 1 && statuses[i].MPI_SOURCE == previous && statuses[i].MPI_TAG == 3);
    CHECK(requests[i] == MPI_REQUEST_NULL && requests[i + 1] == MPI_REQUEST_NULL);
  }
  MPI_Finalize();
  return 0;
}
