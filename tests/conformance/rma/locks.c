/* MPI 5.0 section 12.5.3: shared and exclusive locks of one target and of all, in random order on every rank,
   with operations on one element inside; on any number of ranks. An exclusive holder sees nobody else's
   half-done change; who shares sees no change at all.
   openmpi: version 4.1 breaks down in MPI_Compare_and_swap on several ranks */
#include "../check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { rounds = 400 };

static int rank, size;
static MPI_Win win;
static unsigned state;

static unsigned draw(unsigned below)
{
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}

/* At each target: two numbers that are equal outside of exclusive locks, and two for atomic operations: those
   that add, and comparisons, may not meet at one. */
static void read_pair(int target, long* pair)
{
  CALL(MPI_Get(pair, 1, MPI_LONG, target, 0, 1, MPI_LONG, win));
  CALL(MPI_Get(pair + 1, 1, MPI_LONG, target, 1, 1, MPI_LONG, win));
  CALL(MPI_Win_flush(target, win));
}

static void change_alone(int target)
{
  long pair[2];
  CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
  read_pair(target, pair);
  CHECK(pair[0] == pair[1]);
  ++pair[0];
  CALL(MPI_Put(&pair[0], 1, MPI_LONG, target, 0, 1, MPI_LONG, win));
  CALL(MPI_Win_flush(target, win));
  CALL(MPI_Put(&pair[0], 1, MPI_LONG, target, 1, 1, MPI_LONG, win));
  CALL(MPI_Win_unlock(target, win));
}

/* Adds one to the third or the fourth number. */
static void add_one(int target)
{
  long one = 1, before = 0, seen;
  switch (draw(3)) {
    case 0:
      CALL(MPI_Get_accumulate(&one, 1, MPI_LONG, &before, 1, MPI_LONG, target, 2, 1, MPI_LONG, MPI_SUM, win));
      CALL(MPI_Win_flush(target, win));
      CHECK(before >= 0);
      break;
    case 1:
      do {
        seen = before;
        one = seen + 1;
        CALL(MPI_Compare_and_swap(&one, &seen, &before, MPI_LONG, target, 3, win));
        CALL(MPI_Win_flush(target, win));
      } while (before != seen);
      break;
    default:
      CALL(MPI_Fetch_and_op(&one, &before, MPI_LONG, target, 2, MPI_SUM, win));
      CALL(MPI_Win_flush(target, win));
  }
}

static void look_together(int target)
{
  long pair[2], later[2];
  CALL(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
  read_pair(target, pair);
  add_one(target);
  read_pair(target, later);
  CALL(MPI_Win_unlock(target, win));
  CHECK(pair[0] == pair[1] && later[0] == pair[0] && later[1] == pair[0]);
}

static void look_at_all(void)
{
  CALL(MPI_Win_lock_all(0, win));
  for (int target = 0; target < size; ++target) {
    long pair[2];
    read_pair(target, pair);
    CHECK(pair[0] == pair[1]);
    add_one(target);
  }
  CALL(MPI_Win_unlock_all(win));
}

int main(int argc, char** argv)
{
  long* memory;
  long done[2] = {0, 0}, sums[2], mine[2], totals[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : (unsigned)time(NULL);
  CALL(MPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD));
  if (rank == 0) printf("seed %u\n", seed);
  state = seed + 77u * (unsigned)rank;
  CALL(MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
  memset(memory, 0, 4 * sizeof(long));
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < rounds; ++i) {
    const int target = (int)draw((unsigned)size);
    switch (draw(4)) {
      case 0:
        change_alone(target);
        ++done[0];
        break;
      case 1:
        look_at_all();
        done[1] += size;
        break;
      default:
        look_together(target);
        ++done[1];
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CALL(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
  mine[0] = memory[0];
  mine[1] = memory[2] + memory[3];
  CALL(MPI_Win_unlock(rank, win));
  CALL(MPI_Allreduce(done, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
  CALL(MPI_Allreduce(mine, totals, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
  CHECK(totals[0] == sums[0]);
  CHECK(totals[1] == sums[1]);
  CALL(MPI_Win_free(&win));
  return finish();
}
