/* Programs that build on what the standard leaves open: the examples of MPI 5.0 §3.5 and §6.14 and their like. Each is
   right with an MPI of one kind and hangs or fails with one of the other. The first argument says which. */
#include "tasks.h"

enum { large = 1 << 16 };
static int data[large], all[4 * large];

static void check(int right)
{
  if (!right) MPI_Abort(MPI_COMM_WORLD, 3);
}

static void fill(int value)
{
  for (int i = 0; i < large; ++i) data[i] = value + i;
}

static void check_data(const int* values, int value)
{
  for (int i = 0; i < large; ++i) check(values[i] == value + i);
}

/* §3.5: both send first. Right if the sends are buffered. */
static void exchange(void)
{
  int mine = rank, theirs = -1;
  MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(theirs == 1 - rank);
}

/* The same with much data. */
static void exchange_large(void)
{
  fill(rank);
  MPI_Send(data, large, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Recv(all, large, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check_data(all, 1 - rank);
}

/* A wait for a send whose receive comes only afterwards. */
static void wait_for_send(void)
{
  int value = 5;
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* §6.14: the root sends after a broadcast what the other receives before it. Right if the broadcast does not
   synchronise. */
static void bcast_then_send(void)
{
  int value = rank == 0 ? 7 : 0, other = rank == 0 ? 8 : 0;
  if (rank == 0) {
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Send(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  check(value == 7 && other == 8);
}

/* A token that only those have who may leave a collective without the last rank: it waits for them all. */
static void pass_tokens(int leaves, int waits)
{
  int token = 0;
  if (leaves) MPI_Send(&token, 1, MPI_INT, size - 1, 9, MPI_COMM_WORLD);
  for (int i = 0; i < waits; ++i)
    MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Collectives with much data, from which rank 0, or all but the last, may go on before the last has come. */
static void leave_bcast(void)
{
  fill(rank == 0 ? 1 : 1000);
  if (rank == size - 1) pass_tokens(0, 1);
  MPI_Bcast(data, large, MPI_INT, 0, MPI_COMM_WORLD);
  check_data(data, 1);
  if (rank == 0) fill(5000);
  pass_tokens(rank == 0, 0);
}

static void leave_scatter(void)
{
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < large; ++i) all[r * large + i] = r + i;
  if (rank == size - 1) pass_tokens(0, 1);
  MPI_Scatter(all, large, MPI_INT, data, large, MPI_INT, 0, MPI_COMM_WORLD);
  check_data(data, rank);
  if (rank == 0) memset(all, 0, sizeof all);
  pass_tokens(rank == 0, 0);
}

static void leave_gather(void)
{
  fill(rank);
  const int root = size - 1;
  if (rank == root) pass_tokens(0, size - 1);
  MPI_Gather(data, large, MPI_INT, all, large, MPI_INT, root, MPI_COMM_WORLD);
  if (rank != root) fill(777);
  pass_tokens(rank != root, 0);
  if (rank == root)
    for (int r = 0; r < size; ++r) check_data(all + r * large, r);
}

static void leave_reduce(void)
{
  fill(rank);
  const int root = size - 1;
  if (rank == root) pass_tokens(0, size - 1);
  MPI_Reduce(data, all, large, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  if (rank != root) fill(777);
  pass_tokens(rank != root, 0);
  for (int i = 0; rank == root && i < large; ++i) check(all[i] == size * (size - 1) / 2 + size * i);
}

static void leave_scan(void)
{
  fill(rank);
  if (rank == size - 1) pass_tokens(0, size - 1);
  MPI_Scan(data, all, large, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < large; ++i) check(all[i] == rank * (rank + 1) / 2 + (rank + 1) * i);
  fill(777);
  pass_tokens(rank != size - 1, 0);
}

/* Right in any case. */
static void safe(void)
{
  int value = rank, sum = 0;
  for (int i = 0; i < 50; ++i) {
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, i, &value, 1, MPI_INT, (rank + size - 1) % size, i,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(value == (rank + size - 1) % size);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(sum == size * (size - 1) / 2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv)
{
  static const struct task tasks[] = {
    {"exchange", exchange},
    {"exchange-large", exchange_large},
    {"wait-for-send", wait_for_send},
    {"bcast-then-send", bcast_then_send},
    {"leave-bcast", leave_bcast},
    {"leave-scatter", leave_scatter},
    {"leave-gather", leave_gather},
    {"leave-reduce", leave_reduce},
    {"leave-scan", leave_scan},
    {"safe", safe},
  };
  return run_task(tasks, sizeof tasks / sizeof *tasks, argc, argv, MPI_THREAD_SINGLE);
}
