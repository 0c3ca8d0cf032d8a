/* MPI_Isendrecv and MPI_Isendrecv_replace (MPI 5.0 section 3.7.2): a ring in both directions, several at once, with
   MPI_PROC_NULL, large and small, with derived types, and with what their status says.
   mpich: sets no status, and finds no end with MPI_PROC_NULL */
#include "../check.h"
#include <stdlib.h>

#if MPI_VERSION >= 4

static int rank, size, next, previous;

static void check_status(const MPI_Status* status, int source, int tag, int expected)
{
  int count = -1;
  CHECK(status->MPI_SOURCE == source);
  CHECK(status->MPI_TAG == tag);
  CALL(MPI_Get_count(status, MPI_INT, &count));
  CHECK(count == expected);
}

static void ring(int count)
{
  int* out = malloc(sizeof(int) * (size_t)(count + 1));
  int* in = malloc(sizeof(int) * (size_t)(count + 1));
  MPI_Request request;
  MPI_Status status;
  int i;
  for (i = 0; i < count; ++i) out[i] = 1000 * rank + i, in[i] = -1;
  CALL(MPI_Isendrecv(out, count, MPI_INT, next, 1, in, count, MPI_INT, previous, 1, MPI_COMM_WORLD, &request));
  CALL(MPI_Wait(&request, &status));
  CHECK(request == MPI_REQUEST_NULL);
  check_status(&status, previous, 1, count);
  for (i = 0; i < count; ++i)
    if (in[i] != 1000 * previous + i) break;
  CHECK(i == count);

  CALL(MPI_Isendrecv_replace(out, count, MPI_INT, next, 2, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request));
  CALL(MPI_Wait(&request, &status));
  check_status(&status, previous, 2, count);
  for (i = 0; i < count; ++i)
    if (out[i] != 1000 * previous + i) break;
  CHECK(i == count);
  free(out);
  free(in);
}

/* Many under way, completed by MPI_Waitall and MPI_Testsome together with ordinary requests. */
static void many(void)
{
  enum { pairs = 20 };
  int out[pairs], in[pairs], extra = -1, i, done, count, indices[pairs + 2];
  MPI_Request requests[pairs + 2];
  MPI_Status statuses[pairs + 2];
  for (i = 0; i < pairs; ++i) {
    out[i] = 100 * rank + i;
    in[i] = -1;
    CALL(MPI_Isendrecv(&out[i], 1, MPI_INT, next, i, &in[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]));
  }
  CALL(MPI_Irecv(&extra, 1, MPI_INT, previous, pairs, MPI_COMM_WORLD, &requests[pairs]));
  CALL(MPI_Isend(&rank, 1, MPI_INT, next, pairs, MPI_COMM_WORLD, &requests[pairs + 1]));
  for (done = 0; done < pairs + 2; done += count) {
    CALL(MPI_Waitsome(pairs + 2, requests, &count, indices, statuses));
    CHECK(count != MPI_UNDEFINED && count > 0);
    if (count == MPI_UNDEFINED) break;
  }
  CHECK(extra == previous);
  for (i = 0; i < pairs; ++i) CHECK(in[i] == 100 * previous + i);
  CALL(MPI_Waitall(pairs + 2, requests, statuses));
}

static void no_process(void)
{
  int value = rank, got = -1;
  MPI_Request request;
  MPI_Status status;
  CALL(MPI_Isendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, &got, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                     &request));
  CALL(MPI_Wait(&request, &status));
  CHECK(got == -1);
  check_status(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  /* Only one side. */
  CALL(MPI_Isendrecv_replace(&value, 1, MPI_INT, next, 3, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request));
  CALL(MPI_Recv(&got, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(got == previous && value == rank);
}

/* Every second int goes out, and comes into the gaps of another layout; also by the large-count forms. */
static void derived(void)
{
  enum { count = 5000 };
  int* data = malloc(sizeof(int) * 3 * count);
  MPI_Datatype stride;
  MPI_Request request;
  int i;
  CALL(MPI_Type_vector(count, 1, 3, MPI_INT, &stride));
  CALL(MPI_Type_commit(&stride));
  for (i = 0; i < 3 * count; ++i) data[i] = i % 3 == 0 ? 10 * i + rank : -5;
  CALL(MPI_Isendrecv_replace_c(data, 1, stride, next, 4, previous, 4, MPI_COMM_WORLD, &request));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (i = 0; i < 3 * count; ++i)
    if (data[i] != (i % 3 == 0 ? 10 * i + previous : -5)) break;
  CHECK(i == 3 * count);
  CALL(MPI_Isendrecv_c(data, count, MPI_INT, previous, 5, data + count, count, MPI_INT, next, 5, MPI_COMM_WORLD,
                       &request));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (i = 0; i < count; ++i)
    if (data[count + i] != (i % 3 == 0 ? 10 * i + rank : -5)) break;
  CHECK(i == count);
  CALL(MPI_Type_free(&stride));
  free(data);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  ring(0);
  ring(1);
  ring(1000);
  ring(200000);
  many();
  no_process();
  derived();
  return finish();
}

#else
int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  return finish();
}
#endif
