/* The short ways of MPI, each called N times and then 2 N times on one rank, with a call of the marker
   before, between and after, where callgrind writes down what it has counted: test_budget.py. Prints the
   names in their order. */
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

static void send_receive(void)
{
  MPI_Send(&out, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF);
  MPI_Recv(&in, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void send_receive_middle(void)
{
  MPI_Send(middle_out, sizeof middle_out, MPI_BYTE, 0, 1, MPI_COMM_SELF);
  MPI_Recv(middle_in, sizeof middle_in, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void posted(void)
{
  MPI_Irecv(&in, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Send(&out, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void nonblocking(void)
{
  MPI_Irecv(&in, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(&out, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void barrier(void)
{
  MPI_Barrier(MPI_COMM_SELF);
}

static void put(void)
{
  MPI_Put(&out, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
}

static void fetch_and_op(void)
{
  MPI_Fetch_and_op(&out, &result, MPI_LONG, 0, 0, MPI_SUM, win);
}

static void compare_and_swap(void)
{
  MPI_Compare_and_swap(&out, &in, &result, MPI_LONG, 0, 0, win);
}

static void flush(void)
{
  MPI_Win_flush(0, win);
}

static void flush_local(void)
{
  MPI_Win_flush_local(0, win);
}

static void win_sync(void)
{
  MPI_Win_sync(win);
}

static void lock_shared(void)
{
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Win_unlock(0, win);
}

static void lock_exclusive(void)
{
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Win_unlock(0, win);
}

static void lock_all(void)
{
  MPI_Win_lock_all(0, win);
  MPI_Win_unlock_all(win);
}

static void measure(const char* name, void (*way)(void))
{
  puts(name);
  for (int i = 0; i < calls; ++i) way();
  budget_marker();
  for (int i = 0; i < calls; ++i) way();
  budget_marker();
  for (int i = 0; i < 2 * calls; ++i) way();
  budget_marker();
}

int main(int argc, char** argv)
{
  long* memory;
  MPI_Init(&argc, &argv);
  MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win);
  measure("Send, Recv of 8 bytes", send_receive);
  measure("Send, Recv of 512 bytes", send_receive_middle);
  measure("Irecv, Send, Wait of 8 bytes", posted);
  measure("Irecv, Isend, Waitall of 8 bytes", nonblocking);
  measure("Barrier on one rank", barrier);
  measure("Win_lock, Win_unlock, shared", lock_shared);
  measure("Win_lock, Win_unlock, exclusive", lock_exclusive);
  measure("Win_lock_all, Win_unlock_all", lock_all);
  MPI_Win_lock_all(0, win);
  measure("Put of 8 bytes", put);
  measure("Fetch_and_op", fetch_and_op);
  measure("Compare_and_swap", compare_and_swap);
  measure("Win_flush", flush);
  measure("Win_flush_local", flush_local);
  measure("Win_sync", win_sync);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
