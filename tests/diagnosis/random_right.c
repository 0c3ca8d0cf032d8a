/* A right program: random one-sided operations, messages and collectives on any number of ranks, which
 * synchronisation orders always.
 *     random_right SEED */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { block = 64, blocks = 16, counter = 2000, sums = 2048, flags = 3000, elements = 4096 };

static int rank, size;
static int* mem; /* own part of the window */
static MPI_Win win;
static int values[block];
static volatile int sink;
/* Alike on all ranks, but the neighbours. */
static int root, place, to, from;

static void barrier(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
}

static void fence(void)
{
  int i;
  MPI_Win_fence(0, win);
  MPI_Put(values, block, MPI_INT, to, place, block, MPI_INT, win);
  MPI_Win_fence(0, win);
  for (i = 0; i < block; ++i) values[i] += mem[place + i];
  mem[place] = 1;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void exclusive_lock(void)
{
  int found[8];
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, root, 0, win);
  MPI_Get(found, 8, MPI_INT, root, place, 8, MPI_INT, win);
  MPI_Win_flush(root, win);
  ++found[0];
  MPI_Put(found, 8, MPI_INT, root, place, 8, MPI_INT, win);
  MPI_Win_unlock(root, win);
  found[0] = 0;
  sink += found[1];
  barrier();
}

static void post_and_start(void)
{
  MPI_Group all, origin, target;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &from, &origin);
  MPI_Group_incl(all, 1, &to, &target);
  mem[place + 1] = rank;
  MPI_Win_post(origin, 0, win);
  MPI_Win_start(target, 0, win);
  MPI_Put(values, 16, MPI_INT, to, place, 16, MPI_INT, win);
  MPI_Win_complete(win);
  ++values[0];
  MPI_Win_wait(win);
  sink += mem[place];
  mem[place + 2] = 1;
  MPI_Group_free(&origin);
  MPI_Group_free(&target);
  MPI_Group_free(&all);
  barrier();
}

static void accumulate(void)
{
  const int one = 1;
  int result;
  MPI_Win_lock_all(0, win);
  MPI_Fetch_and_op(&one, &result, MPI_INT, root, counter, MPI_SUM, win);
  MPI_Win_flush(root, win);
  sink += result;
  MPI_Accumulate(values, 32, MPI_INT, root, sums, 32, MPI_INT, MPI_SUM, win);
  MPI_Win_flush_local(root, win);
  values[1] = 3;
  MPI_Win_unlock_all(win);
  barrier();
  if (rank == root) mem[sums] = mem[counter] = 0;
  barrier();
}

static void messages(void)
{
  MPI_Request requests[2];
  MPI_Irecv(mem + place, block, MPI_INT, from, 0, MPI_COMM_WORLD, requests);
  MPI_Isend(values, block, MPI_INT, to, 0, MPI_COMM_WORLD, requests + 1);
  sink += values[3];
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  values[3] = mem[place];
  barrier();
}

static void requests(void)
{
  MPI_Request request;
  int greatest[block], told, tell = 1;
  MPI_Iallreduce(values, greatest, block, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  values[5] = greatest[5];
  MPI_Win_lock_all(0, win);
  MPI_Rput(values, 8, MPI_INT, to, flags + 8 * rank, 8, MPI_INT, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  values[0] = 1;
  MPI_Win_flush(to, win);
  MPI_Sendrecv(&tell, 1, MPI_INT, to, 1, &told, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_sync(win);
  sink += mem[flags + 8 * from];
  MPI_Win_unlock_all(win);
  barrier();
}

static void collectives(void)
{
  MPI_Bcast(mem + place, block, MPI_INT, root, MPI_COMM_WORLD);
  MPI_Reduce(values, mem + place, block, MPI_INT, MPI_MIN, root, MPI_COMM_WORLD);
  barrier();
}

int main(int argc, char** argv)
{
  static void (*const actions[])(void) = {fence,    exclusive_lock, post_and_start, accumulate,
                                          messages, requests,       collectives};
  int i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(elements * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
  memset(mem, 0, elements * sizeof(int));
  barrier();
  srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
  for (i = 0; i < 60; ++i) {
    void (*const action)(void) = actions[(unsigned)rand() % (sizeof actions / sizeof *actions)];
    const int shift = size > 1 ? 1 + rand() % (size - 1) : 0;
    root = rand() % size;
    place = block * (rand() % blocks);
    to = (rank + shift) % size;
    from = (rank - shift + size) % size;
    action();
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
