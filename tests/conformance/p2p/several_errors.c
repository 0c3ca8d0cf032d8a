/* Calls that complete several operations, of which some fail: what they return, the counts and indices that they give,
   the statuses' error fields, and what the error handler is told (MPI 5.0 sections 3.2.5 and 3.7.5). Programs compare
   the result with MPI_ERR_IN_STATUS itself.
   mpich: calls on several requests call the error handler of MPI_COMM_WORLD, not that of the operation's communicator
   openmpi: a message to oneself for which a receive is posted is cut without an error */
#include "../check.h"

enum { operations = 4, failing_first = 1, failing_second = 3, untouched = 77 };

static MPI_Request requests[operations];
static MPI_Status statuses[operations];
static int numbers[2] = {1, 2}, in[operations];
static MPI_Comm comm;
static int handler_calls, handler_code, handler_comm_is_right;

static void note_error(MPI_Comm* failed, int* code, ...)
{
  ++handler_calls;
  handler_code = *code;
  handler_comm_is_right = *failed == comm;
}

/* Receives from oneself, all complete; the second and the last bring more than fits. */
static void start(void)
{
  for (int i = 0; i < operations; ++i) {
    statuses[i].MPI_ERROR = untouched;
    CALL(MPI_Irecv(&in[i], 1, MPI_INT, 0, i, comm, &requests[i]));
  }
  for (int i = 0; i < operations; ++i) {
    const int length = i == failing_first || i == failing_second ? 2 : 1;
    CALL(MPI_Send(numbers, length, MPI_INT, 0, i, comm));
  }
  handler_calls = 0;
}

static void is_in_status(int code)
{
  CHECK(code == MPI_ERR_IN_STATUS);
  CHECK(handler_calls == 1 && handler_code == MPI_ERR_IN_STATUS && handler_comm_is_right);
}

static void check_status(const MPI_Status* status, int i)
{
  CHECK(status->MPI_TAG == i);
  if (i == failing_first || i == failing_second)
    CHECK(class_of(status->MPI_ERROR) == MPI_ERR_TRUNCATE);
  else
    CHECK(status->MPI_ERROR == MPI_SUCCESS);
}

static void all_are_done(void)
{
  for (int i = 0; i < operations; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
}

static void all(void)
{
  int flag = 0;
  start();
  is_in_status(MPI_Waitall(operations, requests, statuses));
  for (int i = 0; i < operations; ++i) check_status(&statuses[i], i);
  all_are_done();

  start();
  is_in_status(MPI_Waitall(operations, requests, MPI_STATUSES_IGNORE));
  all_are_done();

  start();
  is_in_status(MPI_Testall(operations, requests, &flag, statuses));
  CHECK(flag);
  for (int i = 0; i < operations; ++i) check_status(&statuses[i], i);
  all_are_done();

  start();
  flag = 0;
  is_in_status(MPI_Testall(operations, requests, &flag, MPI_STATUSES_IGNORE));
  CHECK(flag);
  all_are_done();
}

typedef int some(int, MPI_Request*, int*, int*, MPI_Status*);

static void some_of(some* call, int with_statuses)
{
  int indices[operations] = {-1, -1, -1, -1}, count = untouched;
  start();
  is_in_status(call(operations, requests, &count, indices, with_statuses ? statuses : MPI_STATUSES_IGNORE));
  CHECK(count == operations);
  for (int i = 0; i < operations; ++i) {
    CHECK(indices[i] == i);
    if (with_statuses) check_status(&statuses[i], i);
  }
  all_are_done();

  /* An inactive request is none of them, and one that is not complete neither. */
  start();
  CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  CALL(MPI_Wait(&requests[2], MPI_STATUS_IGNORE));
  CALL(MPI_Irecv(&in[2], 1, MPI_INT, 0, 2, comm, &requests[2]));
  is_in_status(call(operations, requests, &count, indices, with_statuses ? statuses : MPI_STATUSES_IGNORE));
  CHECK(count == 2 && indices[0] == failing_first && indices[1] == failing_second);
  if (with_statuses) {
    check_status(&statuses[0], failing_first);
    check_status(&statuses[1], failing_second);
  }
  CHECK(requests[2] != MPI_REQUEST_NULL);
  CALL(MPI_Send(numbers, 1, MPI_INT, 0, 2, comm));
  CALL(MPI_Wait(&requests[2], MPI_STATUS_IGNORE));
  all_are_done();
}

/* Without an error the fields stay as they are (section 3.2.5). */
static void success(void)
{
  int indices[1], count;
  MPI_Status status;
  for (int i = 0; i < 3; ++i) {
    int flag = 0;
    status.MPI_ERROR = untouched;
    CALL(MPI_Irecv(&in[0], 1, MPI_INT, 0, 0, comm, &requests[0]));
    CALL(MPI_Send(numbers, 1, MPI_INT, 0, 0, comm));
    if (i == 0) CALL(MPI_Waitall(1, requests, &status));
    if (i == 1) CALL(MPI_Waitsome(1, requests, &count, indices, &status));
    while (i == 2 && !flag) CALL(MPI_Testall(1, requests, &flag, &status));
    CHECK(status.MPI_ERROR == untouched && status.MPI_TAG == 0);
  }
}

int main(int argc, char** argv)
{
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  CALL(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  CALL(MPI_Comm_create_errhandler(note_error, &handler));
  CALL(MPI_Comm_set_errhandler(comm, handler));
  all();
  for (int with_statuses = 0; with_statuses < 2; ++with_statuses) {
    some_of(MPI_Waitsome, with_statuses);
    some_of(MPI_Testsome, with_statuses);
  }
  success();
  CALL(MPI_Errhandler_free(&handler));
  CALL(MPI_Comm_free(&comm));
  return finish();
}
