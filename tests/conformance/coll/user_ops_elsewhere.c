/* MPI 5.0 sections 2.9, 6.12: a reduction with a user's operator goes on while its processes are blocked in
   any other call. All but the last process start one and block in something that the last one ends, but only
   when its own part of the reduction, which it starts last, is complete.
*/
#include <stdlib.h>

#include "../check.h"

enum { most = 20000 };

static int rank, size, last;
static MPI_Comm comm, other;
static MPI_Op op;
static int wrong_process;

static void combine(void* in, void* inout, int* count, MPI_Datatype* type)
{
  (void)type;
  int me = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  wrong_process += me != rank;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

/* --- the reductions */

static int mine[most * 8], result[most * 8], counts[64];

static void set(int n)
{
  for (int i = 0; i < n * size; ++i) mine[i] = rank + i % n, result[i] = -1;
  for (int i = 0; i < size; ++i) counts[i] = n;
}

static void allreduce(int n, MPI_Request* request)
{
  CALL(MPI_Iallreduce(mine, result, n, MPI_INT, op, comm, request));
}
static void reduce(int n, MPI_Request* request)
{
  CALL(MPI_Ireduce(mine, result, n, MPI_INT, op, last, comm, request));
}
static void reduce_scatter(int n, MPI_Request* request)
{
  (void)n;
  CALL(MPI_Ireduce_scatter(mine, result, counts, MPI_INT, op, comm, request));
}
static void reduce_scatter_block(int n, MPI_Request* request)
{
  CALL(MPI_Ireduce_scatter_block(mine, result, n, MPI_INT, op, comm, request));
}
static void scan(int n, MPI_Request* request)
{
  CALL(MPI_Iscan(mine, result, n, MPI_INT, op, comm, request));
}
static void exscan(int n, MPI_Request* request)
{
  CALL(MPI_Iexscan(mine, result, n, MPI_INT, op, comm, request));
}
#if MPI_VERSION >= 4
static void persistent(int n, MPI_Request* request)
{
  CALL(MPI_Allreduce_init(mine, result, n, MPI_INT, op, comm, MPI_INFO_NULL, request));
  CALL(MPI_Start(request));
}
#endif

/* Whose operands, 0 to the returned one, are in this process's result; -1: it has none. */
static int everybody(void)
{
  return size - 1;
}
static int the_last(void)
{
  return rank == last ? size - 1 : -1;
}
static int up_to_here(void)
{
  return rank;
}
static int before(void)
{
  return rank - 1;
}

static const struct {
  void (*start)(int n, MPI_Request* request);
  int (*range)(void);
} reductions[] = {
    {allreduce, everybody},      {reduce, the_last},
    {reduce_scatter, everybody}, {reduce_scatter_block, everybody},
    {scan, up_to_here},          {exscan, before},
#if MPI_VERSION >= 4
    {persistent, everybody},
#endif
};

static void check_result(int n, int range)
{
  int bad = 0;
  for (int i = 0; i < n && range >= 0; ++i) bad += result[i] != range * (range + 1) / 2 + (range + 1) * i;
  CHECK(bad == 0);
}

/* --- what the others block in; the last process ends it. */

static MPI_Win win;
static MPI_Comm doomed;
static MPI_Request pending;
static int token, big[100000];

/* Before the reduction. */
static void none(void) {}
static void make_comm(void)
{
  CALL(MPI_Comm_dup(other, &doomed));
}
static void lock_last(void)
{
  if (rank == last) CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, win));
  CALL(MPI_Barrier(other));
}

static void receive(void)
{
  CALL(MPI_Recv(&token, 1, MPI_INT, last, 1, other, MPI_STATUS_IGNORE));
}
static void probe(void)
{
  CALL(MPI_Probe(last, 1, other, MPI_STATUS_IGNORE));
  receive();
}
static void probe_loop(void)
{
  for (int flag = 0; !flag;) CALL(MPI_Iprobe(last, 1, other, &flag, MPI_STATUS_IGNORE));
  receive();
}
static void wait(void)
{
  MPI_Request request;
  CALL(MPI_Irecv(&token, 1, MPI_INT, last, 1, other, &request));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}
static void wait_any(void)
{
  int index;
  MPI_Request requests[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  CALL(MPI_Irecv(&token, 1, MPI_INT, last, 1, other, &requests[1]));
  CALL(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
}
static void wait_some(void)
{
  int count, indices[2];
  MPI_Request requests[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  CALL(MPI_Irecv(&token, 1, MPI_INT, last, 1, other, &requests[1]));
  CALL(MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE));
}
static void wait_all(void)
{
  MPI_Request requests[2];
  CALL(MPI_Irecv(&token, 1, MPI_INT, last, 1, other, &requests[0]));
  requests[1] = pending;
  CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  pending = requests[1];
}
static void test_loop(void)
{
  MPI_Request request;
  CALL(MPI_Irecv(&token, 1, MPI_INT, last, 1, other, &request));
  for (int flag = 0; !flag;) CALL(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
}
static void send_tokens(void)
{
  for (int i = 0; i < last; ++i) CALL(MPI_Send(&token, 1, MPI_INT, i, 1, other));
}
static void send_synchronous(void)
{
  CALL(MPI_Ssend(&token, 1, MPI_INT, last, 1, other));
}
static void send_much(void)
{
  CALL(MPI_Send(big, 100000, MPI_INT, last, 1, other));
}
static void receive_from_all(void)
{
  for (int i = 0; i < last; ++i) CALL(MPI_Recv(big, 100000, MPI_INT, i, 1, other, MPI_STATUS_IGNORE));
}
static void barrier(void)
{
  CALL(MPI_Barrier(other));
}
static void nonblocking_barrier(void)
{
  MPI_Request request;
  CALL(MPI_Ibarrier(other, &request));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}
static void broadcast(void)
{
  CALL(MPI_Bcast(big, 100000, MPI_INT, last, other));
}
static void blocking_reduction(void)
{
  int one = 1, sum;
  CALL(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other));
}
static void duplicate(void)
{
  CALL(MPI_Comm_dup(other, &doomed));
  CALL(MPI_Comm_free(&doomed));
}
static void free_comm(void)
{
  CALL(MPI_Comm_free(&doomed));
}
static void fence(void)
{
  CALL(MPI_Win_fence(0, win));
  CALL(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}
static void start_access(void)
{
  MPI_Group all, targets;
  CALL(MPI_Comm_group(other, &all));
  CALL(MPI_Group_incl(all, 1, &last, &targets));
  CALL(MPI_Win_start(targets, 0, win));
  CALL(MPI_Put(&token, 1, MPI_INT, last, rank, 1, MPI_INT, win));
  CALL(MPI_Win_complete(win));
  CALL(MPI_Group_free(&targets));
  CALL(MPI_Group_free(&all));
}
static void expose(void)
{
  MPI_Group all, origins;
  CALL(MPI_Comm_group(other, &all));
  CALL(MPI_Group_excl(all, 1, &last, &origins));
  CALL(MPI_Win_post(origins, 0, win));
  CALL(MPI_Win_wait(win));
  CALL(MPI_Group_free(&origins));
  CALL(MPI_Group_free(&all));
}
static void lock(void)
{
  CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, win));
  CALL(MPI_Put(&token, 1, MPI_INT, last, rank, 1, MPI_INT, win));
  CALL(MPI_Win_unlock(last, win));
}
static void unlock(void)
{
  CALL(MPI_Win_unlock(last, win));
}

static const struct {
  void (*prepare)(void);
  void (*block)(void);
  void (*end)(void);
} calls[] = {
    {none, receive, send_tokens},
    {none, probe, send_tokens},
    {none, probe_loop, send_tokens},
    {none, wait, send_tokens},
    {none, wait_any, send_tokens},
    {none, wait_some, send_tokens},
    {none, wait_all, send_tokens},
    {none, test_loop, send_tokens},
    {none, send_synchronous, receive_from_all},
    {none, send_much, receive_from_all},
    {none, barrier, barrier},
    {none, nonblocking_barrier, nonblocking_barrier},
    {none, broadcast, broadcast},
    {none, blocking_reduction, blocking_reduction},
    {none, duplicate, duplicate},
    {make_comm, free_comm, free_comm},
    {none, fence, fence},
    {none, start_access, expose},
    {lock_last, lock, unlock},
};

static void run(int reduction, int n, int call)
{
  calls[call].prepare();
  set(n);
  if (rank == last) {
    for (int i = 0; i < last; ++i) CALL(MPI_Recv(&token, 1, MPI_INT, i, 0, other, MPI_STATUS_IGNORE));
    reductions[reduction].start(n, &pending);
    MPI_Request own = pending;
    CALL(MPI_Wait(&own, MPI_STATUS_IGNORE));
    check_result(n, reductions[reduction].range());
    calls[call].end();
    pending = own;
  } else {
    reductions[reduction].start(n, &pending);
    CALL(MPI_Send(&token, 1, MPI_INT, last, 0, other));
    calls[call].block();
    CALL(MPI_Wait(&pending, MPI_STATUS_IGNORE));
    check_result(n, reductions[reduction].range());
  }
  if (pending != MPI_REQUEST_NULL) CALL(MPI_Request_free(&pending));
}

int main(int argc, char** argv)
{
  static const int sizes[] = {2, 100, most};
  MPI_Init(&argc, &argv);
  CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
  last = size - 1;
  CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  CALL(MPI_Comm_dup(MPI_COMM_WORLD, &other));
  static int exposed[64];
  CHECK(size <= 64);
  CALL(MPI_Win_create(exposed, sizeof exposed, sizeof *exposed, MPI_INFO_NULL, other, &win));
  for (int commutes = 0; commutes < 2; ++commutes) {
    CALL(MPI_Op_create(combine, commutes, &op));
    for (int r = 0; r < (int)(sizeof reductions / sizeof *reductions); ++r)
      for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); ++s)
        for (int c = 0; c < (int)(sizeof calls / sizeof *calls); ++c)
          /* Each pair of reduction and call with some of the sizes. */
          if (size > 1 && (r + s + c + commutes) % 3 == 0) run(r, sizes[s], c);
    CALL(MPI_Op_free(&op));
  }
  CHECK(wrong_process == 0);
  CALL(MPI_Win_free(&win));
  CALL(MPI_Comm_free(&other));
  CALL(MPI_Comm_free(&comm));
  return finish();
}
