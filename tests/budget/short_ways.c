/* The short ways of MPI, each called N times and then 2 N times on one rank, with a call of the marker
   before, between and after, where callgrind writes down what it has counted: test_budget.py. It counts
   inside of the functions way_... alone, so one side of a message can be measured without the other. Prints
   the names in their order.

   There is no barrier of several ranks: callgrind runs one thread at a time, so nearly all that it counts is
   a rank that looks whether the others have come (on two ranks 65 000 to 75 000 instructions a barrier,
   others in each run). */
#include <mpi.h>
#include <stdio.h>

enum { calls = 200 };

static MPI_Win win;
static long out = 1, in, result;
static MPI_Request requests[2];
static char middle_out[512], middle_in[512];

__attribute__((noinline)) void budget_marker(void)
{
  __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void way_send_receive(void)
{
  MPI_Send(&out, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF);
  MPI_Recv(&in, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void way_send_receive_middle(void)
{
  MPI_Send(middle_out, sizeof middle_out, MPI_BYTE, 0, 1, MPI_COMM_SELF);
  MPI_Recv(middle_in, sizeof middle_in, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void way_posted(void)
{
  MPI_Irecv(&in, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Send(&out, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void way_nonblocking(void)
{
  MPI_Irecv(&in, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(&out, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static __attribute__((noinline)) void way_barrier(void)
{
  MPI_Barrier(MPI_COMM_SELF);
}

static __attribute__((noinline)) void way_reduce(void)
{
  MPI_Reduce(&out, &result, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_SELF);
}

static __attribute__((noinline)) void way_allreduce(void)
{
  MPI_Allreduce(&out, &result, 1, MPI_LONG, MPI_SUM, MPI_COMM_SELF);
}

static __attribute__((noinline)) void way_scan(void)
{
  MPI_Scan(&out, &result, 1, MPI_LONG, MPI_SUM, MPI_COMM_SELF);
}

static __attribute__((noinline)) void way_put(void)
{
  MPI_Put(&out, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
}

static __attribute__((noinline)) void way_fetch_and_op(void)
{
  MPI_Fetch_and_op(&out, &result, MPI_LONG, 0, 0, MPI_SUM, win);
}

static __attribute__((noinline)) void way_compare_and_swap(void)
{
  MPI_Compare_and_swap(&out, &in, &result, MPI_LONG, 0, 0, win);
}

static __attribute__((noinline)) void way_flush(void)
{
  MPI_Win_flush(0, win);
}

static __attribute__((noinline)) void way_flush_local(void)
{
  MPI_Win_flush_local(0, win);
}

static __attribute__((noinline)) void way_win_sync(void)
{
  MPI_Win_sync(win);
}

static __attribute__((noinline)) void way_lock_shared(void)
{
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Win_unlock(0, win);
}

static __attribute__((noinline)) void way_lock_exclusive(void)
{
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Win_unlock(0, win);
}

static __attribute__((noinline)) void way_lock_all(void)
{
  MPI_Win_lock_all(0, win);
  MPI_Win_unlock_all(win);
}

static __attribute__((noinline)) void way_fence(void)
{
  MPI_Win_fence(0, win);
}

static MPI_Group self;

static __attribute__((noinline)) void way_post_start(void)
{
  MPI_Win_post(self, 0, win);
  MPI_Win_start(self, 0, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
}

static __attribute__((noinline)) void way_send(void)
{
  MPI_Send(&out, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF);
}

static __attribute__((noinline)) void way_receive(void)
{
  MPI_Recv(&in, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void way_isend(void)
{
  MPI_Isend(&out, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

/* The other side, which is not counted. */
static void send_uncounted(void)
{
  MPI_Send(&out, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF);
}

static void receive_uncounted(void)
{
  MPI_Recv(&in, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void nothing(void) {}

static void repeat(int turns, void (*before)(void), void (*way)(void), void (*after)(void))
{
  for (int i = 0; i < turns; ++i) {
    before();
    way();
    after();
  }
}

static void measure(const char* name, void (*before)(void), void (*way)(void), void (*after)(void))
{
  puts(name);
  repeat(calls, before, way, after);
  budget_marker();
  repeat(calls, before, way, after);
  budget_marker();
  repeat(2 * calls, before, way, after);
  budget_marker();
}

int main(int argc, char** argv)
{
  long* memory;
  MPI_Init(&argc, &argv);
  MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win);
  measure("Send of 8 bytes", nothing, way_send, receive_uncounted);
  measure("Recv of 8 bytes that have come", send_uncounted, way_receive, nothing);
  measure("Isend, Wait of 8 bytes", nothing, way_isend, receive_uncounted);
  measure("Send, Recv of 8 bytes", nothing, way_send_receive, nothing);
  measure("Send, Recv of 512 bytes", nothing, way_send_receive_middle, nothing);
  measure("Irecv, Send, Wait of 8 bytes", nothing, way_posted, nothing);
  measure("Irecv, Isend, Waitall of 8 bytes", nothing, way_nonblocking, nothing);
  measure("Barrier on one rank", nothing, way_barrier, nothing);
  measure("Reduce of 8 bytes on one rank", nothing, way_reduce, nothing);
  measure("Allreduce of 8 bytes on one rank", nothing, way_allreduce, nothing);
  measure("Scan of 8 bytes on one rank", nothing, way_scan, nothing);
  measure("Win_lock, Win_unlock, shared", nothing, way_lock_shared, nothing);
  measure("Win_lock, Win_unlock, exclusive", nothing, way_lock_exclusive, nothing);
  measure("Win_lock_all, Win_unlock_all", nothing, way_lock_all, nothing);
  MPI_Comm_group(MPI_COMM_SELF, &self);
  measure("Win_post, Win_start, Win_complete, Win_wait", nothing, way_post_start, nothing);
  measure("Win_fence", nothing, way_fence, nothing);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Group_free(&self);
  MPI_Win_lock_all(0, win);
  measure("Put of 8 bytes", nothing, way_put, nothing);
  measure("Fetch_and_op", nothing, way_fetch_and_op, nothing);
  measure("Compare_and_swap", nothing, way_compare_and_swap, nothing);
  measure("Win_flush", nothing, way_flush, nothing);
  measure("Win_flush_local", nothing, way_flush_local, nothing);
  measure("Win_sync", nothing, way_win_sync, nothing);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
