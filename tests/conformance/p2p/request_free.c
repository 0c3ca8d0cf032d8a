/* MPI_Request_free of active sends and receives (MPI 5.0 section 3.7.3): the operations complete all the same, as other
   messages show; of inactive persistent requests; and on a communicator that is freed meanwhile.
   mpich: finds no end with one process */
#include "../check.h"
#include <stdlib.h>

static int rank, size, next, previous;

static void sends(int count)
{
  int* out = malloc(sizeof(int) * (size_t)count);
  int* in = malloc(sizeof(int) * (size_t)count);
  int i, token = 0;
  MPI_Request request, ack;
  for (i = 0; i < count; ++i) out[i] = rank + i;
  CALL(MPI_Isend(out, count, MPI_INT, next, 1, MPI_COMM_WORLD, &request));
  CALL(MPI_Request_free(&request));
  CHECK(request == MPI_REQUEST_NULL);
  CALL(MPI_Recv(in, count, MPI_INT, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(in[0] == previous && in[count - 1] == previous + count - 1);
  /* The buffer may be used again when the receiver says that it has the message. */
  CALL(MPI_Isend(&token, 0, MPI_INT, previous, 2, MPI_COMM_WORLD, &ack));
  CALL(MPI_Recv(&token, 0, MPI_INT, next, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CALL(MPI_Wait(&ack, MPI_STATUS_IGNORE));
  free(out);
  free(in);
}

static void receives(void)
{
  enum { count = 100 };
  static int in[count];
  int i;
  MPI_Request request, send;
  for (i = 0; i < count; ++i) {
    in[i] = -1;
    CALL(MPI_Irecv(&in[i], 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &request));
    CALL(MPI_Request_free(&request));
  }
  for (i = 0; i < count; ++i) {
    CALL(MPI_Isend(&i, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &send));
    CALL(MPI_Wait(&send, MPI_STATUS_IGNORE));
  }
  /* Messages do not overtake: when this one is here, the others are. */
  CALL(MPI_Sendrecv(&rank, 1, MPI_INT, next, 4, &i, 1, MPI_INT, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (i = 0; i < count; ++i) CHECK(in[i] == i);
}

static void persistent(void)
{
  static int out; /* read until the other one has it, after the return */
  int in = -1;
  MPI_Request requests[2];
  out = rank;
  CALL(MPI_Recv_init(&in, 1, MPI_INT, previous, 5, MPI_COMM_WORLD, &requests[0]));
  CALL(MPI_Send_init(&out, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &requests[1]));
  CALL(MPI_Startall(2, requests));
  CALL(MPI_Request_free(&requests[1]));
  CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  CHECK(requests[0] != MPI_REQUEST_NULL && in == previous);
  CALL(MPI_Request_free(&requests[0]));
  CHECK(requests[0] == MPI_REQUEST_NULL);
}

static void freed_communicator(void)
{
  enum { count = 100000 };
  int* out = calloc(count, sizeof(int));
  int* in = calloc(count, sizeof(int));
  MPI_Comm comm;
  MPI_Request receive, send;
  CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  out[count - 1] = rank;
  CALL(MPI_Irecv(in, count, MPI_INT, previous, 6, comm, &receive));
  CALL(MPI_Isend(out, count, MPI_INT, next, 6, comm, &send));
  CALL(MPI_Request_free(&send));
  CALL(MPI_Comm_free(&comm));
  CALL(MPI_Wait(&receive, MPI_STATUS_IGNORE));
  CHECK(in[count - 1] == previous);
  CALL(MPI_Barrier(MPI_COMM_WORLD));
  free(out);
  free(in);
}

int main(int argc, char** argv)
{
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  sends(1);
  sends(1000);
  sends(100000);
  receives();
  persistent();
  freed_communicator();
  CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  CHECK(class_of(MPI_Request_free(&none)) == MPI_ERR_REQUEST);
  return finish();
}
