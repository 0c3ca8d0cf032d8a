/* Generalized requests (MPI 5.0 section 13.2): when their functions are called, in all calls that complete requests or
   look at them, what statuses and errors they give, and how they are freed and cancelled.
   mpich: calls query functions in a MPI_Testall that finds nothing, and free functions before completion
   openmpi: loses what the functions return */
#include "../check.h"
#include <pthread.h>

static int queries, frees, cancels, was_complete;
static int query_result, free_result, cancel_result;

static int query(void* extra_state, MPI_Status* status)
{
  const int number = *(int*)extra_state;
  ++queries;
  CHECK(frees == 0 || number >= 0);
  MPI_Status_set_elements(status, MPI_INT, number);
  MPI_Status_set_cancelled(status, number == 99);
  status->MPI_SOURCE = 10 + number;
  status->MPI_TAG = 20 + number;
  return query_result;
}

static int release(void* extra_state)
{
  ++frees;
  CHECK(extra_state != NULL);
  return free_result;
}

static int cancel(void* extra_state, int complete)
{
  CHECK(extra_state != NULL);
  ++cancels;
  was_complete = complete;
  return cancel_result;
}

static void forget(void)
{
  queries = frees = cancels = 0;
  was_complete = -1;
  query_result = free_result = cancel_result = MPI_SUCCESS;
}

static void check_status(MPI_Status* status, int number)
{
  int count = -1, flag = -1;
  CHECK(status->MPI_SOURCE == 10 + number);
  CHECK(status->MPI_TAG == 20 + number);
  CALL(MPI_Get_elements(status, MPI_INT, &count));
  CHECK(count == number);
  CALL(MPI_Test_cancelled(status, &flag));
  CHECK(flag == (number == 99));
}

static MPI_Request start(int* number)
{
  MPI_Request request = MPI_REQUEST_NULL;
  CALL(MPI_Grequest_start(query, release, cancel, number, &request));
  CHECK(request != MPI_REQUEST_NULL);
  return request;
}

static void one(void)
{
  int number = 3, flag = 1;
  MPI_Status status;
  MPI_Request request;
  forget();
  request = start(&number);
  CALL(MPI_Test(&request, &flag, &status));
  CHECK(!flag && queries == 0);
  CALL(MPI_Request_get_status(request, &flag, &status));
  CHECK(!flag && queries == 0);
  CALL(MPI_Grequest_complete(request));
  CHECK(queries == 0 && frees == 0);
  CALL(MPI_Request_get_status(request, &flag, &status));
  CHECK(flag && queries == 1 && frees == 0);
  check_status(&status, 3);
  CALL(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
  CHECK(flag && queries == 2 && frees == 0);
  status.MPI_ERROR = 12345;
  CALL(MPI_Wait(&request, &status));
  CHECK(queries == 3 && frees == 1 && request == MPI_REQUEST_NULL);
  CHECK(status.MPI_ERROR == 12345); /* calls that give one status do not touch it */
  check_status(&status, 3);

  forget();
  number = 99;
  request = start(&number);
  CALL(MPI_Grequest_complete(request));
  flag = 0;
  CALL(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
  CHECK(flag && queries == 1 && frees == 1 && request == MPI_REQUEST_NULL);
}

/* Beside ordinary requests, in all forms for several. */
static void several(void)
{
  enum { count = 5 };
  int numbers[count] = {1, 2, 3, 4, 5}, data[2] = {7, 8}, got[2] = {0, 0}, indices[count + 2];
  int flag, index, i, done;
  MPI_Request requests[count + 2];
  MPI_Status status, statuses[count + 2];

  forget();
  for (i = 0; i < count; ++i) requests[i] = start(&numbers[i]);
  flag = 1;
  CALL(MPI_Testany(count, requests, &index, &flag, &status));
  CHECK(!flag);
  CALL(MPI_Testsome(count, requests, &done, indices, statuses));
  CHECK(done == 0);
  CALL(MPI_Grequest_complete(requests[3]));
  CALL(MPI_Testall(count, requests, &flag, statuses));
  CHECK(!flag && queries == 0);
  CALL(MPI_Waitany(count, requests, &index, &status));
  CHECK(index == 3 && requests[3] == MPI_REQUEST_NULL && queries == 1 && frees == 1);
  check_status(&status, 4);
  CALL(MPI_Grequest_complete(requests[0]));
  CALL(MPI_Testany(count, requests, &index, &flag, &status));
  CHECK(flag && index == 0);
  check_status(&status, 1);
  CALL(MPI_Grequest_complete(requests[1]));
  CALL(MPI_Grequest_complete(requests[4]));
  CALL(MPI_Waitsome(count, requests, &done, indices, statuses));
  CHECK(done == 2 && indices[0] + indices[1] == 5);
  for (i = 0; i < done; ++i) check_status(&statuses[i], indices[i] + 1);
  CALL(MPI_Grequest_complete(requests[2]));
  CALL(MPI_Testsome(count, requests, &done, indices, statuses));
  CHECK(done == 1 && indices[0] == 2);
  check_status(&statuses[0], 3);
  CHECK(queries == count && frees == count);

  forget();
  for (i = 0; i < count; ++i) requests[i] = start(&numbers[i]);
  CALL(MPI_Irecv(got, 2, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[count]));
  CALL(MPI_Isend(data, 2, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[count + 1]));
  for (i = 0; i < count; ++i) CALL(MPI_Grequest_complete(requests[i]));
  CALL(MPI_Waitall(count + 2, requests, statuses));
  for (i = 0; i < count; ++i) check_status(&statuses[i], i + 1);
  CHECK(got[1] == 8 && statuses[count].MPI_TAG == 5);
  CHECK(queries == count && frees == count);
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
static void look_at_several(void)
{
  int numbers[2] = {1, 2}, flag, index, count, indices[2];
  MPI_Request requests[2];
  MPI_Status status, statuses[2];
  forget();
  requests[0] = start(&numbers[0]);
  requests[1] = start(&numbers[1]);
  CALL(MPI_Request_get_status_any(2, requests, &index, &flag, &status));
  CHECK(!flag && index == MPI_UNDEFINED);
  CALL(MPI_Grequest_complete(requests[1]));
  CALL(MPI_Request_get_status_any(2, requests, &index, &flag, &status));
  CHECK(flag && index == 1 && queries == 1 && frees == 0);
  check_status(&status, 2);
  CALL(MPI_Request_get_status_all(2, requests, &flag, statuses));
  CHECK(!flag && queries == 1);
  CALL(MPI_Request_get_status_some(2, requests, &count, indices, statuses));
  CHECK(count == 1 && indices[0] == 1 && queries == 2);
  check_status(&statuses[0], 2);
  CALL(MPI_Grequest_complete(requests[0]));
  CALL(MPI_Request_get_status_all(2, requests, &flag, statuses));
  CHECK(flag && queries == 4 && frees == 0);
  check_status(&statuses[0], 1);
  check_status(&statuses[1], 2);
  CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
  CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK(frees == 2);
}
#else
static void look_at_several(void) {}
#endif

/* The free function is called by whichever comes last, MPI_Request_free or MPI_Grequest_complete. */
static void freed(void)
{
  int number = 1;
  MPI_Request request, copy;
  forget();
  request = copy = start(&number);
  CALL(MPI_Request_free(&request));
  CHECK(request == MPI_REQUEST_NULL && frees == 0);
  CALL(MPI_Grequest_complete(copy));
  CHECK(frees == 1 && queries == 0);

  forget();
  request = start(&number);
  CALL(MPI_Grequest_complete(request));
  CHECK(frees == 0);
  CALL(MPI_Request_free(&request));
  CHECK(request == MPI_REQUEST_NULL && frees == 1 && queries == 0);
}

static void cancelled(void)
{
  int number = 1;
  MPI_Request request;
  forget();
  request = start(&number);
  CALL(MPI_Cancel(&request));
  CHECK(cancels == 1 && was_complete == 0);
  CALL(MPI_Grequest_complete(request));
  CALL(MPI_Cancel(&request));
  CHECK(cancels == 2 && was_complete != 0 && was_complete != -1);
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void errors(void)
{
  int numbers[2] = {1, 2}, flag, code, ordinary_value, started;
  MPI_Request requests[2], ordinary;
  MPI_Status statuses[2];
  forget();
  CALL(MPI_Add_error_code(MPI_ERR_OTHER, &code));
  CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));

  requests[0] = start(&numbers[0]);
  CALL(MPI_Grequest_complete(requests[0]));
  free_result = code;
  CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == code);
  CHECK(requests[0] == MPI_REQUEST_NULL && frees == 1);

  forget();
  requests[0] = start(&numbers[0]);
  CALL(MPI_Grequest_complete(requests[0]));
  query_result = MPI_ERR_ARG;
  CHECK(class_of(MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE)) == MPI_ERR_ARG);
  CHECK(frees == 1);

  forget();
  requests[0] = start(&numbers[0]);
  cancel_result = code;
  CHECK(MPI_Cancel(&requests[0]) == code);
  free_result = code;
  CALL(MPI_Grequest_complete(requests[0]));
  CHECK(MPI_Request_free(&requests[0]) == code);
  CHECK(requests[0] == MPI_REQUEST_NULL);

  forget();
  requests[0] = start(&numbers[0]);
  requests[1] = start(&numbers[1]);
  CALL(MPI_Grequest_complete(requests[0]));
  CALL(MPI_Grequest_complete(requests[1]));
  free_result = code;
  CHECK(MPI_Waitall(2, requests, statuses) == MPI_ERR_IN_STATUS);
  CHECK(statuses[0].MPI_ERROR == code && statuses[1].MPI_ERROR == code && frees == 2);
  check_status(&statuses[1], 2);

  forget();
  started = 0;
  CALL(MPI_Irecv(&ordinary_value, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &ordinary));
  CHECK(class_of(MPI_Grequest_complete(ordinary)) == MPI_ERR_REQUEST);
  CALL(MPI_Send(&started, 1, MPI_INT, 0, 9, MPI_COMM_SELF));
  CALL(MPI_Wait(&ordinary, MPI_STATUS_IGNORE));
  requests[0] = start(&numbers[0]);
  CHECK(class_of(MPI_Start(&requests[0])) == MPI_ERR_REQUEST);
  CALL(MPI_Grequest_complete(requests[0]));
  CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
}

static void* complete_one(void* argument)
{
  MPI_Request* request = argument;
  CALL(MPI_Grequest_complete(*request));
  return NULL;
}

/* Another thread completes what this one waits for, or frees. */
static void threads(void)
{
  int number = 6, i;
  forget();
  for (i = 0; i < 200; ++i) {
    pthread_t thread;
    MPI_Status status;
    MPI_Request request = start(&number), copy = request;
    pthread_create(&thread, NULL, complete_one, &copy);
    if (i % 2 == 0) {
      CALL(MPI_Wait(&request, &status));
      check_status(&status, 6);
    } else {
      CALL(MPI_Request_free(&request));
    }
    pthread_join(thread, NULL);
    CHECK(frees == i + 1);
  }
}

int main(int argc, char** argv)
{
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  one();
  several();
  look_at_several();
  freed();
  cancelled();
  errors();
  if (provided == MPI_THREAD_MULTIPLE) threads();
  return finish();
}
