/* Programs that deadlock, each in its way: the examples of wrong programs in MPI 5.0 §3.5, §6.13 and §12.7.3, and what
   users do. The first argument says which; most take two or three ranks. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "tasks.h"

enum { large = 1 << 20 };
static int data[large];

static void receive_first_from(int other)
{
  MPI_Recv(data, 1, MPI_INT, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(data, 1, MPI_INT, other, 7, MPI_COMM_WORLD);
}

static void receive_first(void) { receive_first_from((rank + 1) % size); }

static void send_large(void)
{
  MPI_Send(data, large, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
  MPI_Recv(data, large, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wrong_tag(void)
{
  if (rank == 0)
    MPI_Send(data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  else if (rank == 1)
    MPI_Recv(data, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Deadlocks where there is no room for all that comes before its receive. */
static void last_first(void)
{
  const int messages = 2000;
  for (int i = 0; rank == 0 && i < messages; ++i) MPI_Send(data, 250, MPI_INT, 1, i, MPI_COMM_WORLD);
  for (int i = messages; rank == 1 && i-- > 0;)
    MPI_Recv(data, 250, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_any(void)
{
  MPI_Request requests[2];
  int index;
  MPI_Irecv(data, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(data + 1, 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

static void probe(void) { MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void bcast_reversed(void)
{
  MPI_Bcast(data, large, MPI_INT, rank == 0 ? 0 : 1, MPI_COMM_WORLD);
  MPI_Bcast(data, large, MPI_INT, rank == 0 ? 1 : 0, MPI_COMM_WORLD);
}

static void bcast_reversed_comms(void)
{
  MPI_Comm one, two;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  MPI_Comm_dup(MPI_COMM_WORLD, &two);
  MPI_Barrier(rank == 0 ? one : two);
  MPI_Barrier(rank == 0 ? two : one);
}

/* Three communicators of two ranks each, used round in a circle. */
static void cycle(void)
{
  MPI_Comm pair[3];
  for (int i = 0; i < 3; ++i) {
    const int member = rank == i || rank == (i + 1) % 3;
    MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, 0, &pair[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, pair[rank]);
  MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, pair[(rank + 2) % 3]);
}

static void bcast_and_send(void)
{
  if (rank == 0) {
    MPI_Bcast(data, large, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Send(data, large, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(data, large, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(data, large, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

static void missing_barrier(void)
{
  if (rank != 0) MPI_Barrier(MPI_COMM_WORLD);
}

static void nonblocking(void)
{
  MPI_Request request;
  if (rank == 0) MPI_Recv(data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Iallreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 1 and the last three. */
static void let_others_begin(void)
{
  if (rank == 1 || rank >= size - 3) MPI_Recv(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void absent_in_bcast(void)
{
  let_others_begin();
  MPI_Bcast(data, large, MPI_INT, 1, MPI_COMM_WORLD);
}

static void absent_in_alltoall(void)
{
  let_others_begin();
  MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, data, 1, MPI_INT, MPI_COMM_WORLD);
}

static void absent_in_ibarrier(void)
{
  MPI_Request request;
  let_others_begin();
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void absent_in_iallgather(void)
{
  MPI_Request request;
  let_others_begin();
  MPI_Iallgather(MPI_IN_PLACE, 1, MPI_INT, data, large / 64, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void not_started(void)
{
  MPI_Request request, barrier, reduction;
  MPI_Send_init(data, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
  MPI_Allreduce_init(MPI_IN_PLACE, data, large, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &reduction);
  if (rank == 1) MPI_Recv(data, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
}

static void start_before_post(void)
{
  MPI_Win win;
  MPI_Group world, other;
  const int peer = 1 - rank;
  MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &peer, &other);
  MPI_Win_start(other, 0, win);
  MPI_Win_post(other, 0, win);
}

static void locks_crossed(void)
{
  MPI_Win win;
  MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win);
}

static void* receive_in_thread(void* unused)
{
  (void)unused;
  MPI_Recv(data, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

/* The other thread could send; it does not, either. */
static void threads(void)
{
  pthread_t other;
  pthread_create(&other, NULL, receive_in_thread, NULL);
  MPI_Recv(data, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Workers that wait for work, which the thread that receives does not give them. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int work;
static void* await_work(void* unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  while (!work) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  MPI_Send(data, 1, MPI_INT, rank, 2, MPI_COMM_WORLD);
  return NULL;
}
static void idle_threads(void)
{
  pthread_t workers[2];
  for (int i = 0; i < 2; ++i) pthread_create(&workers[i], NULL, await_work, NULL);
  receive_first();
}

static void openmp_workers(void)
{
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
  for (int i = 0; i < 100; ++i) sum += i;
  MPI_Recv(data, 1, MPI_INT, (rank + 1) % size, sum, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Not a deadlock: one that sleeps for a while gives work to the other, which sends. */
static void* give_work_late(void* unused)
{
  (void)unused;
  sleep(5);
  pthread_mutex_lock(&mutex);
  work = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return NULL;
}
static void late_work_in_thread(void)
{
  pthread_t worker, giver;
  pthread_create(&worker, NULL, await_work, NULL);
  pthread_create(&giver, NULL, give_work_late, NULL);
  MPI_Recv(data, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  pthread_join(worker, NULL);
  pthread_join(giver, NULL);
}

static void compute(void)
{
  volatile double sum = 0;
  for (int i = 0; i < 200000000; ++i) sum += i;
}

/* Not a deadlock: the other thread sends when the first one has slept for long. */
static void* send_late(void* unused)
{
  (void)unused;
  compute();
  MPI_Send(data, 1, MPI_INT, rank, 2, MPI_COMM_WORLD);
  return NULL;
}
static void late_thread(void)
{
  pthread_t other;
  pthread_create(&other, NULL, send_late, NULL);
  MPI_Recv(data, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  pthread_join(other, NULL);
}

static void compute_for_ever(void)
{
  for (volatile unsigned i = 0;; ++i) continue;
}

/* Ranks 0 and 1 wait for each other while rank 2 computes, by the ways that name whom one waits for. */
static void pair_receives(void)
{
  if (rank == 2) compute_for_ever();
  receive_first_from(1 - rank);
}

static void pair_waits(void)
{
  MPI_Request requests[2];
  if (rank == 2) compute_for_ever();
  MPI_Irecv(data, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(data + 1, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void pair_reduces(void)
{
  MPI_Comm pair, other;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 2, 0, &pair);
  if (rank == 2) compute_for_ever();
  MPI_Comm_dup(pair, &other);
  MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, rank == 0 ? pair : other);
}

/* Rank 0 asks for what never comes, rank 1 waits for it. */
static void test_loop(void)
{
  MPI_Request request;
  int done = 0;
  puts("ready");
  fflush(stdout);
  if (rank == 1) MPI_Recv(data, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 2) compute_for_ever();
  MPI_Irecv(data, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

/* Not a deadlock: a chain of waits ends at a rank that computes. */
static void chain(void)
{
  if (rank == 2) {
    volatile double sum = 0;
    for (int i = 0; i < 200000000; ++i) sum += i;
  } else {
    MPI_Recv(data, 1, MPI_INT, rank + 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank > 0) MPI_Send(data, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD);
}

/* Not a deadlock: rank 0 is between two sessions, the others wait for it in the second one. */
static int between_sessions(void)
{
  for (int round = 0; round < 2; ++round) {
    MPI_Session session;
    MPI_Comm comm = open_session(&session);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (rank == 0 && round == 0) compute();
  }
  return 0;
}

/* As programs do that want nothing from who has started them; when all are loaded. */
static void close_all(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
  for (int descriptor = 3; descriptor < 256; ++descriptor) close(descriptor);
  test_loop();
}

int main(int argc, char** argv)
{
  if (argc > 1 && !strcmp(argv[1], "between-sessions")) return between_sessions();
  static const struct task tasks[] = {
    {"receive-first", receive_first},
    {"send-large", send_large},
    {"wrong-tag", wrong_tag},
    {"last-first", last_first},
    {"wait-any", wait_any},
    {"probe", probe},
    {"bcast-reversed", bcast_reversed},
    {"comms-reversed", bcast_reversed_comms},
    {"cycle", cycle},
    {"bcast-and-send", bcast_and_send},
    {"missing-barrier", missing_barrier},
    {"nonblocking", nonblocking},
    {"absent-in-bcast", absent_in_bcast},
    {"absent-in-alltoall", absent_in_alltoall},
    {"absent-in-ibarrier", absent_in_ibarrier},
    {"absent-in-iallgather", absent_in_iallgather},
    {"not-started", not_started},
    {"start-before-post", start_before_post},
    {"locks-crossed", locks_crossed},
    {"pair-receives", pair_receives},
    {"pair-waits", pair_waits},
    {"pair-reduces", pair_reduces},
    {"test-loop", test_loop},
    {"close-all", close_all},
    {"chain", chain},
    {"threads", threads},
    {"late-thread", late_thread},
    {"idle-threads", idle_threads},
    {"idle-threads-openmp", openmp_workers},
    {"late-work-in-thread", late_work_in_thread},
  };
  const int parallel = argc > 1 && strstr(argv[1], "thread");
  return run_task(tasks, sizeof tasks / sizeof *tasks, argc, argv, parallel ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
}
