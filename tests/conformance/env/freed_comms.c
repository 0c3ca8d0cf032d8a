/* MPI 5.0 sections 7.4.3 and 9.3: a communicator that was freed lives on for the operations on it, and so
   does the error handler that gets their errors; that of MPI_COMM_SELF ends the job here. mpich: ends the job
   openmpi: ends the job */
#include "../check.h"

static int rank, size, called;

static void note(MPI_Comm* comm, int* code, ...)
{
  (void)comm;
  (void)code;
  ++called;
}

static MPI_Comm made_with(MPI_Errhandler handler)
{
  MPI_Comm comm;
  CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  CALL(MPI_Comm_set_errhandler(comm, handler));
  return comm;
}

/* A receive of a message that it does not fit, on a communicator that is freed. */
static MPI_Request truncated(MPI_Errhandler handler, int* in)
{
  static const int out[3];
  MPI_Comm comm = made_with(handler);
  MPI_Request request;
  CALL(MPI_Irecv(in, 1, MPI_INT, (rank + size - 1) % size, 3, comm, &request));
  CALL(MPI_Send(out, 3, MPI_INT, (rank + 1) % size, 3, comm));
  CALL(MPI_Comm_free(&comm));
  return request;
}

int main(void)
{
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int in[3], flag = 0, code = MPI_SUCCESS;

  MPI_Request request = truncated(MPI_ERRORS_RETURN, in);
  CHECK(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
  CHECK(request == MPI_REQUEST_NULL);

  request = truncated(MPI_ERRORS_RETURN, in);
  while (!flag && code == MPI_SUCCESS) code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK(class_of(code) == MPI_ERR_TRUNCATE);

  MPI_Errhandler notes;
  CALL(MPI_Comm_create_errhandler(note, &notes));
  request = truncated(notes, in);
  CALL(MPI_Errhandler_free(&notes));
  CHECK(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
  CHECK(called == 1);

  /* Of several, whatever else is freed meanwhile; and of an array. */
  MPI_Request requests[3];
  MPI_Status statuses[2];
  CALL(MPI_Comm_create_errhandler(note, &notes));
  for (int i = 0; i < 3; ++i) requests[i] = truncated(i == 1 ? notes : MPI_ERRORS_RETURN, &in[i]);
  CALL(MPI_Errhandler_free(&notes));
  CHECK(class_of(MPI_Wait(&requests[1], MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
  CHECK(called == 2);
  MPI_Comm other = made_with(MPI_ERRORS_ARE_FATAL);
  CALL(MPI_Comm_free(&other));
  requests[1] = requests[2];
  CHECK(class_of(MPI_Waitall(2, requests, statuses)) == MPI_ERR_IN_STATUS);
  CHECK(class_of(statuses[0].MPI_ERROR) == MPI_ERR_TRUNCATE);
  CHECK(class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE);
  CHECK(called == 2);
  return finish();
}
