/* Programs that use MPI wrongly, each in its way: the first argument says which. What the usage checks say of them
   names the lines marked by "here" and, for the other party, "there". */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static int rank, size, other;
static int data[1 << 16];

/* --- left behind */

static void leak_comm(void)
{
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* leak-comm here */
}

static void leak_group(void)
{
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group); /* leak-group here */
}

static void leak_datatype(void)
{
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_INT, &type); /* leak-datatype here */
}

static void combine(void* in, void* inout, int* n, MPI_Datatype* type)
{
  (void)in, (void)inout, (void)n, (void)type;
}

static void leak_op(void)
{
  MPI_Op op;
  MPI_Op_create(combine, 1, &op); /* leak-op here */
}

static void leak_info(void)
{
  MPI_Info info;
  MPI_Info_create(&info); /* leak-info here */
}

static void handle_error(MPI_Comm* comm, int* code, ...)
{
  (void)comm, (void)code;
}

static void leak_errhandler(void)
{
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handle_error, &handler); /* leak-errhandler here */
}

static void leak_keyval(void)
{
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL); /* leak-keyval here */
}

static void leak_window(void)
{
  MPI_Win win;
  MPI_Win_create(data, sizeof data, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win); /* leak-window here */
}

static void leak_session(void)
{
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session); /* leak-session here */
}

static void leak_message(void)
{
  MPI_Message message;
  MPI_Status status;
  if (rank == 0) MPI_Send(data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  if (rank == 1) MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, &status); /* leak-message here */
}

static void never_completed(void)
{
  MPI_Request request;
  if (rank == 0) MPI_Isend(data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* never-completed here */
  if (rank == 1) MPI_Recv(data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void never_started(void)
{
  MPI_Request request;
  MPI_Send_init(data, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &request); /* never-started here */
}

static void never_received(void)
{
  if (rank == 0) MPI_Send(data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD); /* never-received there */
}

/* The barrier lets the message come. */
static void never_received_in_session(void)
{
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "usage", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) MPI_Send(data, 1, MPI_INT, 1, 3, comm); /* never-received-in-session there */
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

static void no_finalize(void)
{
  fflush(stdout);
  exit(0);
}

/* --- requests */

static void free_active(void)
{
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* free-active there */
    MPI_Request_free(&request);                                  /* free-active here */
  } else if (rank == 1) {
    MPI_Recv(data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static int rounds;

static void* pass_messages(void* unused)
{
  enum { many = 200 };
  int from[many], value = 0;
  MPI_Request requests[many];
  (void)unused;
  while (__atomic_add_fetch(&rounds, 1, __ATOMIC_RELAXED) < 50) {
    for (int i = 0; i < many; ++i) MPI_Irecv(&from[i], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < many; ++i) MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
  }
  return NULL;
}

/* Requests' objects go from one thread to the other, and are known to be those of the second one. */
static void never_completed_beside_others(void)
{
  pthread_t thread;
  MPI_Request request;
  pthread_create(&thread, NULL, pass_messages, NULL);
  for (int i = 0; i < 60000 && __atomic_load_n(&rounds, __ATOMIC_RELAXED) < 50; ++i) {
    MPI_Irecv(data + i, 1, MPI_INT, 0, 2 + i, MPI_COMM_SELF, &request); /* never-completed-beside-others here */
  }
  pthread_join(thread, NULL);
}

/* --- messages */

static void types_differ(void)
{
  if (rank == 0) MPI_Send(data, 2, MPI_FLOAT, 1, 3, MPI_COMM_WORLD);                                    /* types-differ there */
  if (rank == 1) MPI_Recv(data, 2, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* types-differ here */
}

static void types_differ_late(void)
{
  MPI_Request request;
  if (rank == 0) MPI_Ssend(data, 30000, MPI_FLOAT, 1, 3, MPI_COMM_WORLD); /* types-differ-late there */
  if (rank == 1) {
    MPI_Irecv(data, 30000, MPI_INT, 0, 3, MPI_COMM_WORLD, &request); /* types-differ-late here */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void types_differ_persistent(void)
{
  MPI_Request request;
  if (rank == 0)
    MPI_Send_init(data, 2, MPI_FLOAT, 1, 3, MPI_COMM_WORLD, &request); /* types-differ-persistent there */
  else if (rank == 1)
    MPI_Recv_init(data, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, &request); /* types-differ-persistent here */
  else
    return;
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

static void types_differ_sendrecv(void)
{
  int from = 0;
  if (rank > 1) return;
  /* types-differ-sendrecv: both on the next line, here there */
  MPI_Sendrecv(data, 1, rank ? MPI_INT : MPI_FLOAT, other, 3, &from, 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void truncation(void)
{
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) MPI_Send(data, 5, MPI_INT, 1, 3, MPI_COMM_WORLD);                    /* truncation there */
  if (rank == 1) MPI_Recv(data, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* truncation here */
}

/* --- buffers */

static void receives_overlap(void)
{
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Irecv(data, 4, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[0]);     /* receives-overlap there */
    MPI_Irecv(data + 3, 4, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[1]); /* receives-overlap here */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else if (rank == 1) {
    MPI_Send(data, 4, MPI_INT, 0, 3, MPI_COMM_WORLD);
    MPI_Send(data, 4, MPI_INT, 0, 3, MPI_COMM_WORLD);
  }
}

/* Columns of a matrix with steps of 8 do not overlap, unless they are the same. */
static void columns_overlap(void)
{
  MPI_Request requests[3];
  MPI_Datatype column;
  MPI_Type_vector(8, 1, 8, MPI_INT, &column);
  MPI_Type_commit(&column);
  if (rank == 0) {
    MPI_Irecv(data, 1, column, 1, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(data + 1, 1, column, 1, 2, MPI_COMM_WORLD, &requests[1]); /* columns-overlap there */
    MPI_Irecv(data + 9, 1, column, 1, 3, MPI_COMM_WORLD, &requests[2]); /* columns-overlap here */
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  } else if (rank == 1) {
    for (int tag = 1; tag <= 3; ++tag) MPI_Send(data, 8, MPI_INT, 0, tag, MPI_COMM_WORLD);
  }
  MPI_Type_free(&column);
}

static void send_of_pending_receive(void)
{
  MPI_Request request;
  if (rank == 0) {
    MPI_Irecv(data, 4, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* send-of-pending-receive there */
    MPI_Send(data + 2, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);        /* send-of-pending-receive here */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 4, MPI_INT, 0, 3, MPI_COMM_WORLD);
  }
}

static void send_buffer_changed(void)
{
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(data, 1000, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* send-buffer-changed here */
    data[999] = 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* send-buffer-changed there */
  } else if (rank == 1) {
    MPI_Recv(data, 1000, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void persistent_buffer_changed(void)
{
  MPI_Request request;
  int done = 0;
  if (rank == 0) {
    MPI_Send_init(data, 1000, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* persistent-buffer-changed here */
    for (int i = 0; i < 3; ++i) {
      data[0] = i; /* right */
      MPI_Start(&request);
      if (i == 2) data[0] = 7;
      while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* persistent-buffer-changed there */
      done = 0;
    }
    MPI_Request_free(&request);
  } else if (rank == 1) {
    for (int i = 0; i < 3; ++i) MPI_Recv(data, 1000, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void started_together(void)
{
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Recv_init(data, 4, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[0]);     /* started-together there */
    MPI_Recv_init(data + 3, 4, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[1]); /* started-together here */
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  } else if (rank == 1) {
    MPI_Send(data, 4, MPI_INT, 0, 3, MPI_COMM_WORLD);
    MPI_Send(data, 4, MPI_INT, 0, 3, MPI_COMM_WORLD);
  }
}

static void collective_buffer_changed(void)
{
  MPI_Request request;
  MPI_Ibcast(data, 9000, MPI_INT, 0, MPI_COMM_WORLD, &request); /* collective-buffer-changed here */
  if (rank == 0) data[5] = 1;
  MPI_Wait(&request, MPI_STATUS_IGNORE); /* collective-buffer-changed there */
}

/* What mpi4py's Iallgatherv does up to 4.1.2, and a persistent collective that is completed twice. */
static void array_changed(void)
{
  static int counts[] = {1, 1}, places[] = {0, 1};
  MPI_Request request;
  MPI_Iallgatherv(data, 1, MPI_INT, data + 2, counts, places, MPI_INT, MPI_COMM_WORLD, &request); /* array-changed here */
  if (rank == 0) counts[1] = 1000;
  MPI_Wait(&request, MPI_STATUS_IGNORE); /* array-changed there */
}

static void array_unmapped(void)
{
  int* const counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  counts[0] = counts[1] = 1;
  MPI_Request request;
  MPI_Reduce_scatter_init(data, data + 2, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* array-unmapped here */
  munmap(counts, 4096);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* array-unmapped there */
  }
  MPI_Request_free(&request);
}

static void collective_buffers_overlap(void)
{
  MPI_Request requests[2];
  MPI_Iallreduce(data, data + 100, 50, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]); /* collective-buffers-overlap there */
  MPI_Iallgather(data + 200, 2, MPI_INT, data + 48, 2, MPI_INT, MPI_COMM_WORLD, &requests[1]); /* collective-buffers-overlap here */
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void part_changed(void)
{
  MPI_Request request;
  if (rank == 0) {
    MPI_Psend_init(data, 2, 500, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* part-changed here */
    MPI_Start(&request);
    MPI_Pready(0, request);
    data[500] = 1; /* right */
    data[499] = 1;
    MPI_Pready(1, request);
  } else {
    MPI_Precv_init(data, 2, 500, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE); /* part-changed there */
  MPI_Request_free(&request);
}

static void part_overlaps(void)
{
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Precv_init(data, 2, 4, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]); /* part-overlaps there */
    MPI_Start(&requests[0]);
    MPI_Irecv(data + 7, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &requests[1]); /* part-overlaps here */
  } else {
    MPI_Psend_init(data, 2, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Pready_range(0, 1, requests[0]);
    MPI_Isend(data + 20, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &requests[1]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
}

static void neighbors_overlap(void)
{
  MPI_Comm ring;
  MPI_Request request;
  int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Irecv(data + 11, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &request);  /* neighbors-overlap there */
  MPI_Neighbor_allgather(data, 1, MPI_INT, data + 10, 1, MPI_INT, ring); /* neighbors-overlap here */
  MPI_Send(data, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&ring);
}

static void aliases(void)
{
  MPI_Allreduce(data, data + 3, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* aliases here */
}

/* --- collectives */

static void other_collective(void)
{
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0)
    MPI_Barrier(MPI_COMM_WORLD); /* other-collective either */
  else
    MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD); /* other-collective either */
}

static void roots_differ(void)
{
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Reduce(&rank, data, 1, MPI_INT, MPI_SUM, rank == 0 ? 0 : 1, MPI_COMM_WORLD); /* roots-differ either */
}

static void operators_differ(void)
{
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Allreduce(&rank, data, 1, MPI_INT, rank == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD); /* operators-differ either */
}

static void forms_differ(void)
{
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0)
    MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD); /* forms-differ either */
  else
    MPI_Ibcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD, &request); /* forms-differ either */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void counts_differ(void)
{
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Allreduce(data, data + 100, rank == 0 ? 3 : 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* counts-differ either */
}

/* As many bytes: nothing but the checks sees it. */
static void bcast_types_differ(void)
{
  MPI_Bcast(data, 4, rank == 0 ? MPI_INT : MPI_FLOAT, 0, MPI_COMM_WORLD); /* bcast-types-differ either */
}

static void gather_types_differ(void)
{
  MPI_Gather(data, 1, rank == 1 ? MPI_FLOAT : MPI_INT, data + 100, 1, MPI_INT, 0, MPI_COMM_WORLD); /* gather-types-differ either */
}

static void alltoallv_types_differ(void)
{
  int counts[64], displs[64];
  for (int i = 0; i < size; ++i) counts[i] = 1, displs[i] = i;
  /* alltoallv-types-differ: on the next line, either */
  MPI_Alltoallv(data, counts, displs, rank == 1 ? MPI_FLOAT : MPI_INT, data + 100, counts, displs, MPI_INT, MPI_COMM_WORLD);
}

static void nonblocking_counts_differ(void)
{
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Iallreduce(data, data + 100, rank == 0 ? 3 : 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* nonblocking-counts-differ either */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void merge_or_dup(void)
{
  MPI_Comm half, both, made;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other, 3, &both);
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0)
    MPI_Intercomm_merge(both, 0, &made); /* merge-or-dup either */
  else
    MPI_Comm_dup(both, &made); /* merge-or-dup either */
  MPI_Sendrecv(NULL, 0, MPI_INT, other, 4, NULL, 0, MPI_INT, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  exit(1);
}

/* Between variants other MPIs use other algorithms. */
static void variants_differ(void)
{
  int counts[64], places[64], all[64];
  for (int i = 0; i < size; ++i) {
    counts[i] = 1;
    places[i] = i;
  }
  if (rank == 0)
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD); /* variants-differ either */
  else
    /* variants-differ: on the next line, either */
    MPI_Allgatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
}

/* The root need not have waited for the others. */
static void only_some(MPI_Comm comm)
{
  MPI_Request request;
  int value = rank;
  if (rank != 0) return;
  MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request); /* some-start-before-free either */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void some_start_it(void)
{
  only_some(MPI_COMM_WORLD);
}

/* Long enough for the others to find in MPI_Finalize what was called here instead. */
static void some_start_it_and_linger(void)
{
  const struct timespec while_they_look = {0, 50000000};
  only_some(MPI_COMM_WORLD);
  if (rank == 0) nanosleep(&while_they_look, NULL);
}

static void some_start_before_free(void)
{
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  only_some(comm);
  MPI_Comm_free(&comm); /* some-start-before-free either */
}

/* §5.1.11: also where no byte comes twice. */
static void entries_overlap(void)
{
  MPI_Datatype type;
  int lengths[2] = {2, 1}, into[4];
  MPI_Aint places[2] = {0, 4};
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  /* entries-overlap: on the next line, here */
  MPI_Sendrecv(&rank, 1, MPI_INT, rank, 1, into, 1, type, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
}

/* --- threads */

static void* call_mpi(void* unused)
{
  int flag;
  (void)unused;
  MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); /* funneled here */
  return NULL;
}

static void funneled(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, call_mpi, NULL);
  pthread_join(thread, NULL);
}

static void* exchange(void* unused)
{
  (void)unused;
  MPI_Sendrecv(data, 1, MPI_INT, 1, 3, data + 1, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* serialized either */
  return NULL;
}

/* The exchange ends after the main thread has sent. */
static void serialized(void)
{
  pthread_t thread;
  if (rank == 0) {
    pthread_create(&thread, NULL, exchange, NULL);
    MPI_Recv(data + 2, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* serialized either */
    MPI_Send(data + 3, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);                    /* serialized either */
    pthread_join(thread, NULL);
  } else if (rank == 1) {
    MPI_Recv(data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    MPI_Recv(data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
  }
}

static void* finalize(void* unused)
{
  (void)unused;
  MPI_Finalize(); /* finalized-elsewhere here */
  return NULL;
}

static void finalized_elsewhere(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, finalize, NULL);
  pthread_join(thread, NULL);
  exit(0);
}

static void* barriers(void* unused)
{
  (void)unused;
  for (int i = 0; i < 20; ++i) {
    /* The others are slow: while one thread waits for them, the other one comes. */
    for (volatile int work = rank == 0 ? 0 : 2000000; work > 0; --work) continue;
    MPI_Barrier(MPI_COMM_WORLD); /* collectives-at-once either */
  }
  return NULL;
}

static void collectives_at_once(void)
{
  pthread_t threads[2];
  for (int i = 0; rank == 0 && i < 2; ++i) pthread_create(&threads[i], NULL, barriers, NULL);
  for (int i = 0; i < 2; ++i) {
    if (rank == 0)
      pthread_join(threads[i], NULL);
    else
      barriers(NULL);
  }
}

static const struct {
  const char* name;
  void (*run)(void);
  int level; /* -1: without MPI_Init */
} tasks[] = {
    {"leak-comm", leak_comm, 0},
    {"leak-group", leak_group, 0},
    {"leak-datatype", leak_datatype, 0},
    {"leak-op", leak_op, 0},
    {"leak-info", leak_info, 0},
    {"leak-errhandler", leak_errhandler, 0},
    {"leak-keyval", leak_keyval, 0},
    {"leak-window", leak_window, 0},
    {"leak-session", leak_session, 0},
    {"leak-message", leak_message, 0},
    {"never-completed", never_completed, 0},
    {"never-started", never_started, 0},
    {"never-received", never_received, 0},
    {"never-received-in-session", never_received_in_session, -1},
    {"never-completed-beside-others", never_completed_beside_others, 3},
    {"no-finalize", no_finalize, 0},
    {"free-active", free_active, 0},
    {"types-differ", types_differ, 0},
    {"types-differ-late", types_differ_late, 0},
    {"types-differ-persistent", types_differ_persistent, 0},
    {"types-differ-sendrecv", types_differ_sendrecv, 0},
    {"truncation", truncation, 0},
    {"receives-overlap", receives_overlap, 0},
    {"columns-overlap", columns_overlap, 0},
    {"send-of-pending-receive", send_of_pending_receive, 0},
    {"send-buffer-changed", send_buffer_changed, 0},
    {"persistent-buffer-changed", persistent_buffer_changed, 0},
    {"started-together", started_together, 0},
    {"collective-buffer-changed", collective_buffer_changed, 0},
    {"array-changed", array_changed, 0},
    {"array-unmapped", array_unmapped, 0},
    {"collective-buffers-overlap", collective_buffers_overlap, 0},
    {"part-changed", part_changed, 0},
    {"part-overlaps", part_overlaps, 0},
    {"neighbors-overlap", neighbors_overlap, 0},
    {"aliases", aliases, 0},
    {"other-collective", other_collective, 0},
    {"roots-differ", roots_differ, 0},
    {"operators-differ", operators_differ, 0},
    {"forms-differ", forms_differ, 0},
    {"counts-differ", counts_differ, 0},
    {"bcast-types-differ", bcast_types_differ, 0},
    {"gather-types-differ", gather_types_differ, 0},
    {"alltoallv-types-differ", alltoallv_types_differ, 0},
    {"merge-or-dup", merge_or_dup, 0},
    {"variants-differ", variants_differ, 0},
    {"some-start-it", some_start_it, 0},
    {"some-start-it-and-linger", some_start_it_and_linger, 0},
    {"some-start-before-free", some_start_before_free, 0},
    {"entries-overlap", entries_overlap, 0},
    {"nonblocking-counts-differ", nonblocking_counts_differ, 0},
    {"funneled", funneled, 1},
    {"serialized", serialized, 2},
    {"finalized-elsewhere", finalized_elsewhere, 3},
    {"collectives-at-once", collectives_at_once, 3},
};

int main(int argc, char** argv)
{
  for (size_t i = 0; argc > 1 && i < sizeof tasks / sizeof *tasks; ++i) {
    if (strcmp(argv[1], tasks[i].name) != 0) continue;
    const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    int provided;
    if (tasks[i].level < 0) {
      tasks[i].run();
      return 0;
    }
    MPI_Init_thread(NULL, NULL, levels[tasks[i].level], &provided); /* no-finalize here */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    other = rank == 0 ? 1 : 0;
    tasks[i].run();
    MPI_Finalize();
    return 0;
  }
  return 2;
}
