/* Partitioned communication (MPI 5.0 chapter 4): a ring with equal and different divisions, in all forms of MPI_Pready,
   over several rounds; matching in order; derived types; MPI_PROC_NULL; inactive and null requests; errors; and
   partitions marked by several threads.
   mpich: MPI_Testall fails for partitioned requests that are complete */
#include "../check.h"
#include <pthread.h>
#include <stdlib.h>

#if MPI_VERSION >= 4

static int rank, size, next, previous;

/* mark: 0 one by one, 1 as a range, 2 as a list. */
static void ring(int out_partitions, int in_partitions, int all, int mark)
{
  const int out_each = all / out_partitions, in_each = all / in_partitions;
  int* out = calloc((size_t)all, sizeof(int));
  int* in = malloc(sizeof(int) * (size_t)all);
  int* list = malloc(sizeof(int) * (size_t)out_partitions);
  int round, i, flag, count;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  CALL(MPI_Psend_init(out, out_partitions, out_each, MPI_INT, next, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
  CALL(MPI_Precv_init(in, in_partitions, in_each, MPI_INT, previous, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
  for (round = 0; round < 4; ++round) {
    for (i = 0; i < all; ++i) in[i] = -1;
    CALL(MPI_Startall(2, requests));
    for (i = 0; i < all; ++i) out[i] = 100000 * rank + 10 * i + round;
    if (mark == 0) {
      for (i = 0; i < out_partitions; ++i) CALL(MPI_Pready((i + round) % out_partitions, requests[0]));
    } else if (mark == 1) {
      CALL(MPI_Pready_range(0, out_partitions / 2, requests[0]));
      if (out_partitions > 1) CALL(MPI_Pready_range(out_partitions / 2 + 1, out_partitions - 1, requests[0]));
    } else {
      for (i = 0; i < out_partitions; ++i) list[i] = out_partitions - 1 - i;
      CALL(MPI_Pready_list(out_partitions, list, requests[0]));
    }
    for (i = 0; i < in_partitions; ++i) {
      int k;
      for (flag = 0; !flag;) CALL(MPI_Parrived(requests[1], i, &flag));
      for (k = i * in_each; k < (i + 1) * in_each; ++k)
        if (in[k] != 100000 * previous + 10 * k + round) break;
      CHECK(k == (i + 1) * in_each);
    }
    if (round % 2 == 0) {
      CALL(MPI_Waitall(2, requests, statuses));
    } else {
      for (flag = 0; !flag;) CALL(MPI_Testall(2, requests, &flag, statuses));
    }
    CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
    CHECK(statuses[1].MPI_SOURCE == previous && statuses[1].MPI_TAG == 1);
    CALL(MPI_Get_count(&statuses[1], MPI_INT, &count));
    CHECK(count == all);
  }
  CALL(MPI_Request_free(&requests[0]));
  CALL(MPI_Request_free(&requests[1]));
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  free(out);
  free(in);
  free(list);
}

/* Requests with the same envelope match in the order of their initialization, not of their starts. */
static void order(void)
{
  enum { count = 4 };
  int out[count], in[count], i;
  MPI_Request sends[count], receives[count];
  for (i = 0; i < count; ++i) {
    out[i] = 10 * rank + i;
    in[i] = -1;
    CALL(MPI_Psend_init(&out[i], 1, 1, MPI_INT, next, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &sends[i]));
    CALL(MPI_Precv_init(&in[i], 1, 1, MPI_INT, previous, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &receives[i]));
  }
  for (i = count - 1; i >= 0; --i) {
    CALL(MPI_Start(&sends[i]));
    CALL(MPI_Pready(0, sends[i]));
  }
  CALL(MPI_Startall(count, receives));
  CALL(MPI_Waitall(count, sends, MPI_STATUSES_IGNORE));
  CALL(MPI_Waitall(count, receives, MPI_STATUSES_IGNORE));
  for (i = 0; i < count; ++i) {
    CHECK(in[i] == 10 * previous + i);
    CALL(MPI_Request_free(&sends[i]));
    CALL(MPI_Request_free(&receives[i]));
  }
}

/* Columns of a matrix, each a partition, come as rows. */
static void columns(void)
{
  enum { n = 12 };
  int matrix[n][n], rows[n][n], i, k, wrong = 0;
  MPI_Datatype column, one_column;
  MPI_Request requests[2];
  for (i = 0; i < n; ++i)
    for (k = 0; k < n; ++k) matrix[i][k] = 1000 * rank + n * i + k;
  CALL(MPI_Type_vector(n, 1, n, MPI_INT, &column));
  CALL(MPI_Type_create_resized(column, 0, sizeof(int), &one_column));
  CALL(MPI_Type_commit(&one_column));
  CALL(MPI_Psend_init(matrix, n, 1, one_column, next, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
  CALL(MPI_Precv_init(rows, n / 2, 2 * n, MPI_INT, previous, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
  CALL(MPI_Startall(2, requests));
  CALL(MPI_Pready_range(0, n - 1, requests[0]));
  CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  for (i = 0; i < n; ++i)
    for (k = 0; k < n; ++k) wrong += rows[k][i] != 1000 * previous + n * i + k;
  CHECK(wrong == 0);
  CALL(MPI_Request_free(&requests[0]));
  CALL(MPI_Request_free(&requests[1]));
  CALL(MPI_Type_free(&column));
  CALL(MPI_Type_free(&one_column));
}

static void nobody(void)
{
  int data[4] = {1, 2, 3, 4}, flag, round;
  MPI_Request requests[2];
  MPI_Status status;
  CALL(MPI_Psend_init(data, 2, 2, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
  CALL(MPI_Precv_init(data, 4, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
  for (round = 0; round < 3; ++round) {
    CALL(MPI_Startall(2, requests));
    CALL(MPI_Pready(1, requests[0]));
    CALL(MPI_Pready(0, requests[0]));
    for (flag = 0; !flag;) CALL(MPI_Parrived(requests[1], 3, &flag));
    CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CALL(MPI_Wait(&requests[1], &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  }
  CHECK(data[0] == 1 && data[3] == 4);
  CALL(MPI_Request_free(&requests[0]));
  CALL(MPI_Request_free(&requests[1]));
}

static void inactive(void)
{
  int value = 0, flag;
  MPI_Request requests[2];
  MPI_Status status;
  CALL(MPI_Psend_init(&value, 1, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
  CALL(MPI_Precv_init(&value, 1, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
  flag = 0;
  CALL(MPI_Parrived(requests[1], 0, &flag));
  CHECK(flag);
  flag = 0;
  CALL(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag));
  CHECK(flag);
  CALL(MPI_Wait(&requests[0], &status));
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
  CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CALL(MPI_Request_free(&requests[0]));
  CALL(MPI_Request_free(&requests[1]));
}

/* The number of partitions may be zero (§4.2.1); MPICH says that it has to be positive. */
static void no_partitions(void)
{
  int unused = 0, round, count, flag;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  CALL(MPI_Psend_init(&unused, 0, 3, MPI_INT, next, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
  CALL(MPI_Precv_init(&unused, 0, 3, MPI_INT, previous, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
  for (round = 0; round < 4; ++round) {
    CALL(MPI_Start(&requests[round % 2]));
    CALL(MPI_Start(&requests[1 - round % 2]));
    if (round < 2) {
      CALL(MPI_Waitall(2, requests, statuses));
    } else {
      for (flag = 0; !flag;) CALL(MPI_Testall(2, requests, &flag, statuses));
    }
    CHECK(statuses[1].MPI_SOURCE == previous && statuses[1].MPI_TAG == 9);
    CALL(MPI_Get_count(&statuses[1], MPI_INT, &count));
    CHECK(count == 0);
  }
  CALL(MPI_Request_free(&requests[0]));
  CALL(MPI_Request_free(&requests[1]));
}

static void errors(void)
{
  int in[4], out[4] = {1, 2, 3, 4}, flag, list[2] = {0, 4};
  MPI_Request send, receive, ordinary;
  CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  CHECK(MPI_Psend_init(out, -1, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &send) != MPI_SUCCESS);
  CHECK(class_of(MPI_Precv_init(in, 4, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &receive)) ==
        MPI_ERR_RANK);
  CHECK(class_of(MPI_Precv_init(in, 4, 1, MPI_INT, rank, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receive)) ==
        MPI_ERR_TAG);
  CALL(MPI_Psend_init(out, 4, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
  CALL(MPI_Precv_init(in, 2, 2, MPI_INT, rank, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
  CHECK(class_of(MPI_Pready(0, send)) == MPI_ERR_REQUEST);
  CALL(MPI_Start(&send));
  CHECK(class_of(MPI_Start(&send)) == MPI_ERR_REQUEST);
  CHECK(class_of(MPI_Request_free(&send)) == MPI_ERR_REQUEST);
  CHECK(send != MPI_REQUEST_NULL);
  CHECK(MPI_Cancel(&send) != MPI_SUCCESS);
  CHECK(class_of(MPI_Pready(4, send)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Pready(-1, send)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Pready_list(2, list, send)) == MPI_ERR_ARG); /* the first one is ready now */
  CHECK(class_of(MPI_Pready(0, send)) == MPI_ERR_ARG);
  CALL(MPI_Pready_range(1, 3, send));
  CALL(MPI_Start(&receive));
  CHECK(class_of(MPI_Parrived(receive, 2, &flag)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Parrived(send, 0, &flag)) == MPI_ERR_REQUEST);
  CHECK(class_of(MPI_Pready(0, receive)) == MPI_ERR_REQUEST);
  CALL(MPI_Wait(&receive, MPI_STATUS_IGNORE));
  CALL(MPI_Wait(&send, MPI_STATUS_IGNORE));
  CHECK(in[0] == 1 && in[3] == 4);
  CALL(MPI_Request_free(&send));
  CALL(MPI_Request_free(&receive));
  CALL(MPI_Irecv(in, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, &ordinary));
  CHECK(class_of(MPI_Parrived(ordinary, 0, &flag)) == MPI_ERR_REQUEST);
  CALL(MPI_Send(out, 1, MPI_INT, rank, 7, MPI_COMM_WORLD));
  CALL(MPI_Wait(&ordinary, MPI_STATUS_IGNORE));
  CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

enum { team = 4, parts = 64, each = 500 };
static int shared_out[parts * each], shared_in[parts * each];
static MPI_Request shared_request;

struct share {
  int number, round;
};

static void* fill(void* argument)
{
  const struct share* share = argument;
  int p, i;
  for (p = share->number; p < parts; p += team) {
    for (i = p * each; i < (p + 1) * each; ++i) shared_out[i] = rank + share->round + i;
    CALL(MPI_Pready(p, shared_request));
  }
  return NULL;
}

static void threads(void)
{
  MPI_Request receive;
  int round, t, i, wrong = 0;
  CALL(MPI_Psend_init(shared_out, parts, each, MPI_INT, next, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &shared_request));
  CALL(MPI_Precv_init(shared_in, 1, parts * each, MPI_INT, previous, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
  for (round = 0; round < 10; ++round) {
    pthread_t ids[team];
    struct share shares[team];
    CALL(MPI_Start(&receive));
    CALL(MPI_Start(&shared_request));
    for (t = 0; t < team; ++t) {
      shares[t].number = t;
      shares[t].round = round;
      pthread_create(&ids[t], NULL, fill, &shares[t]);
    }
    CALL(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    for (t = 0; t < team; ++t) pthread_join(ids[t], NULL);
    CALL(MPI_Wait(&shared_request, MPI_STATUS_IGNORE));
    for (i = 0; i < parts * each; ++i) wrong += shared_in[i] != previous + round + i;
  }
  CHECK(wrong == 0);
  CALL(MPI_Request_free(&shared_request));
  CALL(MPI_Request_free(&receive));
}

int main(int argc, char** argv)
{
  int provided, mark;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  for (mark = 0; mark < 3; ++mark) {
    ring(8, 8, 64, mark);
    ring(8, 4, 64, mark);
    ring(6, 10, 60, mark);
    ring(1, 12, 60, mark);
    ring(12, 1, 60000, mark);
  }
  order();
  columns();
  nobody();
  inactive();
  no_partitions();
  errors();
  if (provided == MPI_THREAD_MULTIPLE) threads();
  return finish();
}

#else
int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  return finish();
}
#endif
