/* Buffers for buffered sends (MPI 5.0 section 3.6): of communicators and the process, which of them is used, automatic
   buffering, flushing, and the errors. */
#include "bsend_room.h"

static int rank, size;

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)

enum { small = 1000, large = 100000, overhead = MPI_BSEND_OVERHEAD };
static char memory[2][large + overhead];

static void precedence(void)
{
  MPI_Comm comm, other;
  void* address;
  int bytes;
  CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  CALL(MPI_Comm_dup(MPI_COMM_WORLD, &other));
  CHECK(!finds_room(comm, small));
  CALL(MPI_Buffer_attach(memory[0], small + overhead));
  CHECK(finds_room(comm, small) && !finds_room(comm, large));
  CALL(MPI_Comm_attach_buffer(comm, memory[1], large + overhead));
  CHECK(finds_room(comm, large) && !finds_room(other, large) && finds_room(other, small));
  CALL(MPI_Comm_detach_buffer(comm, &address, &bytes));
  CHECK(address == memory[1] && bytes == large + overhead);
  CHECK(!finds_room(comm, large) && finds_room(comm, small));
  /* The communicator's buffer is used although that of the process has more room; it is not inherited. */
  CALL(MPI_Buffer_detach(&address, &bytes));
  CHECK(address == memory[0] && bytes == small + overhead);
  /* Libraries detach what may be there. */
  CALL(MPI_Buffer_detach(&address, &bytes));
  CHECK(address == NULL && bytes == 0);
  CALL(MPI_Buffer_attach(memory[1], large + overhead));
  CALL(MPI_Comm_attach_buffer_c(comm, memory[0], small + overhead));
  CHECK(!finds_room(comm, large) && finds_room(other, large));
  CALL(MPI_Comm_free(&other));
  CALL(MPI_Comm_dup(comm, &other));
  CHECK(finds_room(other, large));
  CALL(MPI_Buffer_detach(&address, &bytes));
  CALL(MPI_Comm_free(&comm));
  CALL(MPI_Comm_free(&other));
}

static void automatic(void)
{
  MPI_Comm comm;
  MPI_Request request;
  void* address = NULL;
  int bytes, i, in = -1;
  CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  CALL(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
  CHECK(finds_room(comm, 10 * large));
  CHECK(class_of(MPI_Buffer_attach(memory[0], small)) == MPI_ERR_BUFFER);
  CALL(MPI_Comm_attach_buffer(comm, memory[0], small + overhead));
  CHECK(!finds_room(comm, large));
  CALL(MPI_Comm_detach_buffer(comm, &address, &bytes));
  CALL(MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, -1)); /* the size is irrelevant */
  CALL(MPI_Buffer_detach(&address, &bytes));
  CHECK(address == MPI_BUFFER_AUTOMATIC);
  for (i = 0; i < 100; ++i) CALL(MPI_Bsend(&i, 1, MPI_INT, rank, 2, comm));
  CALL(MPI_Ibsend(&i, 1, MPI_INT, rank, 2, comm, &request));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (i = 0; i <= 100; ++i) {
    CALL(MPI_Recv(&in, 1, MPI_INT, rank, 2, comm, MPI_STATUS_IGNORE));
    CHECK(in == i);
  }
  CALL(MPI_Comm_detach_buffer(comm, &address, &bytes));
  CHECK(address == MPI_BUFFER_AUTOMATIC);
  CHECK(!finds_room(comm, 1));
  CALL(MPI_Comm_free(&comm));
}

/* After a flush the whole buffer is free; the receives are posted before, so that it may wait for them. */
static void flush(void)
{
  enum { rounds = 5 };
  static char out[large], in[rounds][large];
  MPI_Request requests[rounds], done;
  void* address;
  MPI_Count bytes;
  int i, k;
  for (k = 0; k < 2; ++k) {
    for (i = 0; i < rounds; ++i)
      CALL(MPI_Irecv(in[i], large, MPI_CHAR, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &requests[i]));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    if (k == 0)
      CALL(MPI_Buffer_attach_c(memory[0], large + overhead));
    else
      CALL(MPI_Comm_attach_buffer_c(MPI_COMM_WORLD, memory[0], large + overhead));
    for (i = 0; i < rounds; ++i) {
      out[large - 1] = (char)i;
      CALL(MPI_Bsend(out, large, MPI_CHAR, (rank + 1) % size, 3, MPI_COMM_WORLD));
      if (k == 0 && i % 2 == 0) CALL(MPI_Buffer_flush());
      if (k == 1 && i % 2 == 0) CALL(MPI_Comm_flush_buffer(MPI_COMM_WORLD));
      if (i % 2 == 1) {
        if (k == 0)
          CALL(MPI_Buffer_iflush(&done));
        else
          CALL(MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &done));
        CALL(MPI_Wait(&done, MPI_STATUS_IGNORE));
        CHECK(done == MPI_REQUEST_NULL);
      }
    }
    CALL(MPI_Waitall(rounds, requests, MPI_STATUSES_IGNORE));
    for (i = 0; i < rounds; ++i) CHECK(in[i][large - 1] == i);
    if (k == 0)
      CALL(MPI_Buffer_detach_c(&address, &bytes));
    else
      CALL(MPI_Comm_detach_buffer_c(MPI_COMM_WORLD, &address, &bytes));
    CHECK(address == memory[0] && bytes == large + overhead);
  }
}

/* A persistent buffered send uses what is attached when it is started, and stays inactive without room. */
static void persistent(void)
{
  MPI_Request request;
  void* address;
  int bytes, flag = 0, out = rank, in = -1;
  CALL(MPI_Bsend_init(&out, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &request));
  CHECK(class_of(MPI_Start(&request)) == MPI_ERR_BUFFER);
  CALL(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
  CHECK(flag);
  CALL(MPI_Comm_attach_buffer(MPI_COMM_WORLD, memory[0], small + overhead));
  CALL(MPI_Start(&request));
  CALL(MPI_Recv(&in, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(in == rank);
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CALL(MPI_Request_free(&request));
  CALL(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &address, &bytes));
}

static void errors(void)
{
  void* address;
  int bytes;
  MPI_Request request;
  CALL(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &address, &bytes));
  CHECK(address == NULL && bytes == 0);
  CHECK(class_of(MPI_Comm_flush_buffer(MPI_COMM_WORLD)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &request)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Buffer_flush()) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Buffer_iflush(&request)) == MPI_ERR_BUFFER);
  CALL(MPI_Comm_attach_buffer(MPI_COMM_WORLD, memory[0], small));
  CHECK(class_of(MPI_Comm_attach_buffer(MPI_COMM_WORLD, memory[1], small)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Comm_attach_buffer(MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, 0)) == MPI_ERR_BUFFER);
  CALL(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &address, &bytes));
  CHECK(MPI_Comm_attach_buffer(MPI_COMM_WORLD, memory[0], -1) != MPI_SUCCESS);
}

static void since_4_1(void)
{
  precedence();
  automatic();
  flush();
  persistent();
  errors();
}
#else
static void since_4_1(void) {}
#endif

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  since_4_1();
  return finish();
}
