/* Point-to-point functions whose counts are MPI_Count (MPI 5.0 chapter 3): they do what the others do.
   And calls on the fields of a status.
   openmpi: version 4.1 has no functions with large counts */
#include <stdlib.h>

#include "../check.h"

enum { many = 3000 };
static int rank, size, next, previous;
static int out[many], in[many + 1];

static void forget(void)
{
  for (int i = 0; i < many; ++i) in[i] = -1;
}

static int right(void)
{
  int wrong = 0;
  for (int i = 0; i < many; ++i) wrong += in[i] != previous * many + i;
  forget();
  return wrong == 0;
}

static void nonblocking(void)
{
  typedef int start_send(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  start_send* const sends[] = {MPI_Isend_c, MPI_Issend_c, MPI_Ibsend_c, MPI_Irsend_c};
  start_send* const prepared[] = {MPI_Send_init_c, MPI_Ssend_init_c, MPI_Bsend_init_c, MPI_Rsend_init_c};
  MPI_Request requests[2];
  for (int mode = 0; mode < 4; ++mode) {
    CALL(MPI_Irecv_c(in, many, MPI_INT, previous, mode, MPI_COMM_WORLD, &requests[0]));
    MPI_Barrier(MPI_COMM_WORLD);
    CALL(sends[mode](out, many, MPI_INT, next, mode, MPI_COMM_WORLD, &requests[1]));
    CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(right());
    CALL(MPI_Recv_init_c(in, many, MPI_INT, previous, mode, MPI_COMM_WORLD, &requests[0]));
    CALL(prepared[mode](out, many, MPI_INT, next, mode, MPI_COMM_WORLD, &requests[1]));
    for (int round = 0; round < 2; ++round) {
      CALL(MPI_Start(&requests[0]));
      MPI_Barrier(MPI_COMM_WORLD);
      CALL(MPI_Start(&requests[1]));
      CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
      CHECK(right());
    }
    CALL(MPI_Request_free(&requests[0]));
    CALL(MPI_Request_free(&requests[1]));
  }
}

static void blocking(void)
{
  typedef int send(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
  send* const sends[] = {MPI_Send_c, MPI_Ssend_c, MPI_Bsend_c, MPI_Rsend_c};
  MPI_Request request;
  MPI_Status status;
  MPI_Count count = 0;
  for (int mode = 0; mode < 4; ++mode) {
    CALL(MPI_Irecv_c(in, many, MPI_INT, previous, mode, MPI_COMM_WORLD, &request));
    MPI_Barrier(MPI_COMM_WORLD);
    CALL(sends[mode](out, many, MPI_INT, next, mode, MPI_COMM_WORLD));
    CALL(MPI_Wait(&request, &status));
    CALL(MPI_Get_count_c(&status, MPI_INT, &count));
    CHECK(count == many && right());
  }
  CALL(MPI_Isend_c(out, many, MPI_INT, next, 9, MPI_COMM_WORLD, &request));
  CALL(MPI_Recv_c(in, many + (MPI_Count)1, MPI_INT, previous, 9, MPI_COMM_WORLD, &status));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CALL(MPI_Get_elements_c(&status, MPI_INT, &count));
  CHECK(count == many && right());
}

static void matched(void)
{
  MPI_Request sending, receiving;
  MPI_Message message;
  for (int i = 0; i < 2; ++i) {
    CALL(MPI_Isend_c(out, many, MPI_INT, next, 9, MPI_COMM_WORLD, &sending));
    CALL(MPI_Mprobe(previous, 9, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    if (i == 0) {
      CALL(MPI_Mrecv_c(in, many, MPI_INT, &message, MPI_STATUS_IGNORE));
    } else {
      CALL(MPI_Imrecv_c(in, many, MPI_INT, &message, &receiving));
      CALL(MPI_Wait(&receiving, MPI_STATUS_IGNORE));
    }
    CALL(MPI_Wait(&sending, MPI_STATUS_IGNORE));
    CHECK(message == MPI_MESSAGE_NULL && right());
  }
}

static void exchanges(void)
{
  CALL(MPI_Sendrecv_c(out, many, MPI_INT, next, 9, in, many, MPI_INT, previous, 9, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
  CHECK(right());
  for (int i = 0; i < many; ++i) in[i] = out[i];
  CALL(MPI_Sendrecv_replace_c(in, many, MPI_INT, next, 9, previous, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(right());
}

/* More elements than an int counts, without data. */
static void beyond_int(void)
{
  const MPI_Count huge = (MPI_Count)1 << 40;
  MPI_Datatype empty;
  MPI_Request request;
  MPI_Status status;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  CALL(MPI_Isend_c(NULL, huge, empty, next, 9, MPI_COMM_WORLD, &request));
  CALL(MPI_Recv_c(NULL, huge, empty, previous, 9, MPI_COMM_WORLD, &status));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  MPI_Type_free(&empty);
#ifdef MPI_H_ABI /* since MPI 4.1 */
  MPI_Count count = -1;
  CALL(MPI_Status_set_elements_c(&status, MPI_BYTE, huge));
  CALL(MPI_Get_elements_c(&status, MPI_BYTE, &count));
  CHECK(count == huge);
  int field = 0;
  CALL(MPI_Status_set_source(&status, 11));
  CALL(MPI_Status_set_tag(&status, 12));
  CALL(MPI_Status_set_error(&status, MPI_ERR_TAG));
  CHECK(status.MPI_SOURCE == 11 && status.MPI_TAG == 12 && status.MPI_ERROR == MPI_ERR_TAG);
  CALL(MPI_Status_get_source(&status, &field));
  CHECK(field == 11);
  CALL(MPI_Status_get_tag(&status, &field));
  CHECK(field == 12);
  CALL(MPI_Status_get_error(&status, &field));
  CHECK(field == MPI_ERR_TAG);
#endif
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  for (int i = 0; i < many; ++i) out[i] = rank * many + i;
  forget();
  const MPI_Count room = 4 * (sizeof out + MPI_BSEND_OVERHEAD);
  void *buffer = malloc((size_t)room), *detached = NULL;
  MPI_Count length = 0;
  CALL(MPI_Buffer_attach_c(buffer, room));
  nonblocking();
  blocking();
  matched();
  exchanges();
  beyond_int();
  CALL(MPI_Buffer_detach_c(&detached, &length));
  CHECK(detached == buffer && length == room);
  free(buffer);
  return finish();
}
