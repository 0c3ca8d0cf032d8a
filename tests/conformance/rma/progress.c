/* MPI 5.0 section 12.7.3: what completes although the other side does something else; on two or more ranks.
   mpich: version 4.0 needs calls of the target for what the last part does */
#include <stdatomic.h>
#include <stdlib.h>

#include "../check.h"

enum { large = 1 << 20 };
static int rank, size, *memory, *data;
static MPI_Win win;
static MPI_Group peer;

static void symmetric(void)
{
  const int other = 1 - rank;
  CALL(MPI_Win_post(peer, 0, win));
  CALL(MPI_Win_start(peer, 0, win));
  CALL(MPI_Put(data, large, MPI_INT, other, 0, large, MPI_INT, win));
  CALL(MPI_Win_complete(win));
  CALL(MPI_Win_wait(win));
  CHECK(memory[0] == 100 + other && memory[large - 1] == 100 + other);
}

/* The origin completes and then sends; the target receives that before it waits. */
static void complete_does_not_wait(void)
{
  int token = 0;
  if (rank == 0) {
    CALL(MPI_Win_start(peer, 0, win));
    CALL(MPI_Put(data, large, MPI_INT, 1, 0, large, MPI_INT, win));
    CALL(MPI_Win_complete(win));
    MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    CALL(MPI_Win_post(peer, 0, win));
    MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CALL(MPI_Win_wait(win));
    CHECK(memory[0] == 100 && memory[large - 1] == 100);
  }
}

/* The target computes until it sees, by loads of its own, what the origin writes: nothing is asked of it. */
static void passive(void)
{
  int flag = 1;
  if (rank == 0) {
    CALL(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
    CALL(MPI_Put(data, large - 1, MPI_INT, 1, 0, large - 1, MPI_INT, win));
    CALL(MPI_Win_flush(1, win));
    CALL(MPI_Accumulate(&flag, 1, MPI_INT, 1, large - 1, 1, MPI_INT, MPI_REPLACE, win));
    CALL(MPI_Win_unlock(1, win));
  } else {
    while (atomic_load_explicit((_Atomic int*)&memory[large - 1], memory_order_relaxed) != 1) {
    }
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    CALL(MPI_Win_sync(win));
    CHECK(memory[0] == 100 && memory[large - 2] == 100);
    MPI_Win_unlock(1, win);
  }
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(large * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  data = malloc(large * sizeof(int));
  for (int i = 0; i < large; ++i) data[i] = 100 + rank, memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (size >= 2 && rank < 2) {
    const int other = 1 - rank;
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &peer);
    symmetric();
    complete_does_not_wait();
    MPI_Sendrecv(NULL, 0, MPI_INT, other, 1, NULL, 0, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memory[large - 1] = 0;
    MPI_Sendrecv(NULL, 0, MPI_INT, other, 1, NULL, 0, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    passive();
    MPI_Group_free(&peer);
    MPI_Group_free(&world);
  }
  free(data);
  MPI_Win_free(&win);
  return finish();
}
