/* Calls of two or more ranks that do not go together. The lines of those that disagree are marked with "X";
 * where several ranks say the same at one line they are one party. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { many = 30000 };

static int rank;
static int size;
static int mine[many];
static int theirs[many];
static MPI_Comm ring;

static void wait_for(MPI_Request request)
{
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void call(void)
{
  if (rank == 0)
    MPI_Barrier(MPI_COMM_WORLD); /* X */
  else
    MPI_Bcast(mine, 1, MPI_INT, 0, MPI_COMM_WORLD); /* X */
}

static void broadcasts_alone(void)
{
  if (rank == size - 1)
    MPI_Bcast(mine, 1, MPI_INT, rank, MPI_COMM_WORLD); /* X */
  else
    MPI_Alltoall(mine, 300, MPI_INT, theirs, 300, MPI_INT, MPI_COMM_WORLD); /* X */
}

static void root(void)
{
  if (rank == 0)
    MPI_Reduce(mine, theirs, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); /* X */
  else
    MPI_Reduce(mine, theirs, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD); /* X */
}

static void each_is_root(void)
{
  MPI_Bcast(mine, many, MPI_INT, rank, MPI_COMM_WORLD); /* X */
}

static void op(void)
{
  if (rank == 0)
    MPI_Allreduce(mine, theirs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* X */
  else
    MPI_Allreduce(mine, theirs, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD); /* X */
}

static void finalize(void)
{
  if (rank == 0) MPI_Barrier(MPI_COMM_WORLD); /* X */
}

static void allreduce_of(int one, int other)
{
  if (rank == 0)
    MPI_Allreduce(mine, theirs, one, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* X */
  else
    MPI_Allreduce(mine, theirs, other, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* X */
}

static void few(void)
{
  allreduce_of(3, 4);
}

static void few_and_many(void)
{
  allreduce_of(3, many);
}

static void amounts(void)
{
  allreduce_of(many - 1, many);
}

static void bcast_of(int one, int other)
{
  if (rank == 0)
    MPI_Bcast(mine, one, MPI_INT, 0, MPI_COMM_WORLD); /* X */
  else
    MPI_Bcast(mine, other, MPI_INT, 0, MPI_COMM_WORLD); /* X */
}

static void bcast_of_few(void)
{
  bcast_of(4, 3);
}

static void bcast_of_many(void)
{
  bcast_of(many, many - 1);
}

static void gather_of_few(void)
{
  if (rank == 0)
    MPI_Gather(mine, 1, MPI_INT, theirs, 1, MPI_INT, 0, MPI_COMM_WORLD); /* X */
  else
    MPI_Gather(mine, 2, MPI_INT, theirs, 2, MPI_INT, 0, MPI_COMM_WORLD); /* X */
}

static void alltoall_of_few(void)
{
  if (rank == 0)
    MPI_Alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD); /* X */
  else
    MPI_Alltoall(mine, 2, MPI_INT, theirs, 2, MPI_INT, MPI_COMM_WORLD); /* X */
}

static void scan_of_many(void)
{
  if (rank == 0)
    MPI_Scan(mine, theirs, many, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* X */
  else
    MPI_Scan(mine, theirs, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* X */
}

/* Of the amounts that neighbours give each other only the calls themselves say that they differ. */
static void neighbors_of_few(void)
{
  if (rank == 0)
    MPI_Neighbor_allgather(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring); /* X */
  else
    MPI_Neighbor_allgather(mine, 2, MPI_INT, theirs, 2, MPI_INT, ring); /* X */
}

static void neighbors(void)
{
  if (rank == 0)
    MPI_Neighbor_allgather(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring); /* X */
  else
    MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring); /* X */
}

static void icall(void)
{
  MPI_Request request;
  if (rank == 0)
    MPI_Ibarrier(MPI_COMM_WORLD, &request); /* X */
  else
    MPI_Ibcast(mine, 1, MPI_INT, 0, MPI_COMM_WORLD, &request); /* X */
  wait_for(request);
}

static void form(void)
{
  MPI_Request request;
  if (rank == 0) {
    MPI_Iallreduce(mine, theirs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* X */
    wait_for(request);
  } else {
    MPI_Allreduce(mine, theirs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* X */
  }
}

static void iroot(void)
{
  MPI_Request request;
  if (rank == 0)
    MPI_Ireduce(mine, theirs, many, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request); /* X */
  else
    MPI_Ireduce(mine, theirs, many, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD, &request); /* X */
  wait_for(request);
}

static void iallreduce_of(int one, int other)
{
  MPI_Request request;
  if (rank == 0)
    MPI_Iallreduce(mine, theirs, one, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* X */
  else
    MPI_Iallreduce(mine, theirs, other, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* X */
  wait_for(request);
}

static void ifew(void)
{
  iallreduce_of(3, 4);
}

static void ifew_and_many(void)
{
  iallreduce_of(3, many);
}

static void iamounts(void)
{
  iallreduce_of(many - 1, many);
}

static void ibcast_of_many(void)
{
  MPI_Request request;
  if (rank == 0)
    MPI_Ibcast(mine, many, MPI_INT, 0, MPI_COMM_WORLD, &request); /* X */
  else
    MPI_Ibcast(mine, many - 1, MPI_INT, 0, MPI_COMM_WORLD, &request); /* X */
  wait_for(request);
}

static void ineighbors(void)
{
  MPI_Request request;
  if (rank == 0)
    MPI_Ineighbor_allgather(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring, &request); /* X */
  else
    MPI_Ineighbor_allgather(mine, 2, MPI_INT, theirs, 2, MPI_INT, ring, &request); /* X */
  wait_for(request);
}

/* Others follow before anybody looks. */
static void many_pending(void)
{
  MPI_Request requests[9];
  int i;
  if (rank == 0)
    MPI_Iallreduce(mine, theirs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]); /* X */
  else
    MPI_Iallreduce(mine, theirs, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]); /* X */
  for (i = 1; i < 9; ++i) MPI_Ibarrier(MPI_COMM_WORLD, &requests[i]);
  MPI_Waitall(9, requests, MPI_STATUSES_IGNORE);
}

static void start_and_wait(MPI_Request request)
{
  MPI_Start(&request);
  wait_for(request);
  MPI_Request_free(&request);
}

static void persistent_root(void)
{
  MPI_Request request;
  if (rank == 0)
    MPI_Bcast_init(mine, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* X */
  else
    MPI_Bcast_init(mine, 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* X */
  start_and_wait(request);
}

static void persistent_amounts(void)
{
  MPI_Request request;
  if (rank == 0)
    MPI_Allreduce_init(mine, theirs, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* X */
  else
    MPI_Allreduce_init(mine, theirs, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* X */
  start_and_wait(request);
}

static void message_of(int count)
{
  if (rank == 0) MPI_Send(mine, count, MPI_INT, 1, 3, MPI_COMM_WORLD);                               /* X */
  if (rank == 1) MPI_Recv(theirs, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* X */
}

static void short_message(void)
{
  message_of(2);
}

/* Copied out, or offered in the send buffer. */
static void message(void)
{
  message_of(500);
}

/* Stays in the send buffer. */
static void long_message(void)
{
  message_of(many);
}

static void message_that_waits(void)
{
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(mine, 500, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* X */
    MPI_Send(mine, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    wait_for(request);
  } else if (rank == 1) {
    MPI_Recv(theirs, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(theirs, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* X */
  }
}

static void imessage(void)
{
  MPI_Request request;
  if (rank == 0) MPI_Isend(mine, many, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* X */
  if (rank == 1) MPI_Irecv(theirs, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);  /* X */
  if (rank < 2) wait_for(request);
}

/* Both at one line: one thing is wrong, twice. */
static void messages(void)
{
  MPI_Request requests[2];
  int i;
  for (i = 0; i < 2; ++i) {
    if (rank == 0) MPI_Isend(mine, many, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);    /* X */
    if (rank == 1) MPI_Irecv(&theirs[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]); /* X */
  }
  if (rank < 2) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void buffered_message(void)
{
  static char buffer[many + MPI_BSEND_OVERHEAD];
  MPI_Buffer_attach(buffer, sizeof buffer);
  if (rank == 0) MPI_Bsend(mine, 1000, MPI_INT, 1, 3, MPI_COMM_WORLD);                  /* X */
  if (rank == 1) MPI_Recv(theirs, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* X */
}

/* The codes are those of the calls, also where the checks have told more. */
static void codes(void)
{
  char text[MPI_MAX_ERROR_STRING];
  int code, class, length;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) MPI_Send(mine, 2, MPI_INT, 1, 3, MPI_COMM_WORLD); /* X */
  if (rank != 1) return;
  code = MPI_Recv(theirs, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* X */
  MPI_Error_class(code, &class);
  MPI_Error_string(code, text, &length);
  printf("%s: %s\n", class == MPI_ERR_TRUNCATE ? "truncated" : "other", text);
}

/* A mismatch of types alone lets all go on; what fails later is another one, or none. */
static void types_and_argument(void)
{
  MPI_Bcast(mine, 1, rank == 0 ? MPI_INT : MPI_FLOAT, 0, MPI_COMM_WORLD); /* X */
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Bcast(mine, 1, MPI_INT, 7, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

#define CASE(name) \
  {                \
#name, name    \
  }

int main(int argc, char** argv)
{
  const struct {
    const char* name;
    void (*body)(void);
  } cases[] = {
      CASE(call),
      CASE(broadcasts_alone),
      CASE(root),
      CASE(each_is_root),
      CASE(op),
      CASE(finalize),
      CASE(few),
      CASE(few_and_many),
      CASE(amounts),
      CASE(bcast_of_few),
      CASE(bcast_of_many),
      CASE(gather_of_few),
      CASE(alltoall_of_few),
      CASE(scan_of_many),
      CASE(neighbors_of_few),
      CASE(neighbors),
      CASE(icall),
      CASE(form),
      CASE(iroot),
      CASE(ifew),
      CASE(ifew_and_many),
      CASE(iamounts),
      CASE(ibcast_of_many),
      CASE(ineighbors),
      CASE(many_pending),
      CASE(persistent_root),
      CASE(persistent_amounts),
      CASE(short_message),
      CASE(message),
      CASE(long_message),
      CASE(message_that_waits),
      CASE(imessage),
      CASE(messages),
      CASE(buffered_message),
      CASE(codes),
      CASE(types_and_argument),
  };
  const int periodic = 1;
  size_t i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  for (i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) cases[i].body();
  MPI_Comm_free(&ring);
  MPI_Finalize(); /* finalize X */
  return 0;
}
