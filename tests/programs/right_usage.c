/* Programs that are right although they come close to what the usage checks look for: the first argument says
   which. The checks have nothing to say. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static int data[1 << 10];

/* Buffers that a call is given and does not use may be those of operations under way. */
static void unused_buffers(void)
{
  MPI_Request request, more;
  MPI_Message message;
  int value = rank;
  MPI_Irecv(data, 4, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
  MPI_Sendrecv_replace(data, 4, MPI_INT, MPI_PROC_NULL, 2, MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_Isend(data, 4, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
  /* Only read. */
  MPI_Sendrecv_replace(data, 4, MPI_INT, rank, 2, MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Isendrecv_replace(data, 4, MPI_INT, rank, 3, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &more);
  MPI_Wait(&more, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(data, 4, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(data, 4, MPI_INT, &message, &more);
  MPI_Recv(data, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&more, MPI_STATUS_IGNORE);
  /* The first member of MPI_Exscan has no result. */
  MPI_Exscan(&value, rank == 0 ? data : data + 100, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Exscan(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  else
    MPI_Exscan(MPI_IN_PLACE, data + 100, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int tag = 1; tag <= 3; ++tag)
    MPI_Recv(data + 200, 4, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A part of a send may be filled until it is ready, one of a receive be used when it has arrived. */
static void parts(void)
{
  MPI_Request request;
  int out[4] = {1, 2, 3, 4}, there = 0;
  if (rank > 1) return;
  if (rank == 0)
    MPI_Psend_init(data, 2, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(data, 2, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  for (int part = 0; part < 2; ++part) {
    if (rank == 0) {
      MPI_Sendrecv(out, 4, MPI_INT, 0, 2, data + 4 * part, 4, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Pready(part, request);
    } else {
      for (there = 0; !there;) MPI_Parrived(request, part, &there);
      MPI_Sendrecv(data + 4 * part, 4, MPI_INT, 1, 2, out, 4, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

/* The blocks of neighbours that do not exist are not used. */
static void missing_neighbors(void)
{
  MPI_Comm line;
  MPI_Request request;
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  int periodic = 0, counts[2] = {1, 1};
  MPI_Aint displs[2] = {40, 60};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
  if (rank == 0) MPI_Irecv(data + 10, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
  MPI_Neighbor_allgather(data, 1, MPI_INT, data + 10, 1, MPI_INT, line);
  MPI_Neighbor_alltoall(data, 1, MPI_INT, data + 10, 1, MPI_INT, line);
  MPI_Neighbor_alltoallw(data + 100, counts, displs, types, data, counts, displs, types, line);
  if (rank == 0) {
    MPI_Send(data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&line);
}

/* --- threads */

static void* ask(void* unused)
{
  int flag, level;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Info info;
  (void)unused;
  MPI_Is_thread_main(&flag);
  MPI_Query_thread(&level);
  MPI_Initialized(&flag);
  MPI_Error_string(MPI_ERR_ARG, text, &level);
  MPI_Info_create(&info);
  MPI_Info_free(&info);
  return NULL;
}

/* Any thread may ask whether it is the main one. */
static void questions(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, ask, NULL);
  pthread_join(thread, NULL);
}

static MPI_Session session;
static int entered, may_leave;

static void wait_for(const int* flag)
{
  while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) sched_yield();
}

static void handle(MPI_Session* which, int* code, ...)
{
  (void)which, (void)code;
  __atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
  wait_for(&may_leave);
}

static void* call_handler(void* unused)
{
  (void)unused;
  MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
  return NULL;
}

/* One thread is in a call that any thread may make at any time, while another one makes an ordinary one. */
static void always_callable(void)
{
  pthread_t thread;
  MPI_Errhandler handler;
  MPI_Info info;
  MPI_Group group;
  MPI_Session_create_errhandler(handle, &handler);
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_SERIALIZED");
  MPI_Session_init(info, handler, &session);
  MPI_Info_free(&info);
  MPI_Errhandler_free(&handler);
  pthread_create(&thread, NULL, call_handler, NULL);
  wait_for(&entered);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Group_free(&group);
  __atomic_store_n(&may_leave, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  MPI_Session_finalize(&session);
}

/* --- the end */

/* A message of a session outlives the world model. */
static void session_after_finalize(void)
{
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "right", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) MPI_Send(data, 1, MPI_INT, 1, 3, comm);
  MPI_Finalize();
  if (rank == 1) MPI_Recv(data, 1, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

/* Nearly as much data as 64 bits can count, none of which is moved. */
static void huge_counts(void)
{
  MPI_Datatype type;
  MPI_Request request;
  const MPI_Count huge = (MPI_Count)1 << 57;
  int value = 0;
  MPI_Type_contiguous(4, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Irecv(data, 4, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
  MPI_Bcast_c(data + 100, huge, type, 0, MPI_COMM_SELF);
  MPI_Bcast_c(data + 100, huge, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Send_c(data, huge, type, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Send(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
}

/* Threads in collectives of one communicator in turn, and on two at once. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm comms[2];
static void* sum_up(void* comm)
{
  int mine = rank, sum;
  for (int i = 0; i < 50; ++i) {
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, *(MPI_Comm*)comm);
    pthread_mutex_lock(&turn);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    pthread_mutex_unlock(&turn);
  }
  return NULL;
}

static void threads_in_collectives(void)
{
  pthread_t thread;
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  pthread_create(&thread, NULL, sum_up, &comms[1]);
  sum_up(&comms[0]);
  pthread_join(thread, NULL);
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&comms[i]);
}

static const struct {
  const char* name;
  void (*run)(void);
  int level; /* -1: without MPI_Init */
} tasks[] = {
    {"unused-buffers", unused_buffers, 0},
    {"parts", parts, 0},
    {"missing-neighbors", missing_neighbors, 0},
    {"questions", questions, 1},
    {"always-callable", always_callable, -1},
    {"session-after-finalize", session_after_finalize, -1},
    {"huge-counts", huge_counts, 0},
    {"threads-in-collectives", threads_in_collectives, 3},
};

int main(int argc, char** argv)
{
  for (size_t i = 0; argc > 1 && i < sizeof tasks / sizeof *tasks; ++i) {
    if (strcmp(argv[1], tasks[i].name) != 0) continue;
    int provided;
    if (tasks[i].level < 0) {
      tasks[i].run();
      return 0;
    }
    const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    MPI_Init_thread(NULL, NULL, levels[tasks[i].level], &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    tasks[i].run();
    MPI_Finalize();
    return 0;
  }
  return 2;
}
