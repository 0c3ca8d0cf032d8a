/* MPI 5.0 section 12.5.1, 12.5.2: epochs of fences, of posts and starts, and of locks follow each other, most
   with the partners of the last one, and members come to them early and late; on any number of ranks. */
#include "../check.h"

/* room: MPICH 4.0.2 puts elsewhere than the target looks where allocated windows have some bytes only. */
enum { rounds = 400, room = 1024 };

static int rank, size, *memory;
static MPI_Win win;

/* Comes late in some rounds. */
static void dawdle(unsigned round)
{
  volatile unsigned work = (round * 2654435761u + (unsigned)rank * 40503u) >> 21;
  while (round % 3 == 0 && work > 0) --work;
}

/* All of an epoch put the same, which stays until that ends. */
static void put(int value, int target)
{
  static int data;
  /* While a put of it is under way not even the same may be stored (section 12.3). */
  if (data != value) data = value;
  MPI_Put(&data, 1, MPI_INT, target, rank, 1, MPI_INT, win);
}

/* What every rank has put to all. */
static void expect_of_all(int value)
{
  for (int i = 0; i < size; ++i) CHECK(memory[i] == value);
}

static void fences(int round)
{
  const int first = round % 5 == 0 ? MPI_MODE_NOPRECEDE : 0;
  CALL(MPI_Win_fence(first, win));
  for (int target = 0; target < size; ++target) put(round, target);
  dawdle((unsigned)round);
  CALL(MPI_Win_fence(0, win));
  expect_of_all(round);
  if (round % 2) {
    /* Nobody uses it. */
    CALL(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win));
  }
  CALL(MPI_Win_fence(MPI_MODE_NOSTORE | (round % 4 ? MPI_MODE_NOSUCCEED : 0), win));
}

static void posts(int round, MPI_Group origins, MPI_Group targets, int from, int to)
{
  dawdle((unsigned)round);
  CALL(MPI_Win_post(origins, round % 7 ? 0 : MPI_MODE_NOSTORE, win));
  CALL(MPI_Win_start(targets, 0, win));
  put(-round, to);
  CALL(MPI_Win_complete(win));
  int flag = 0;
  if (round % 4)
    CALL(MPI_Win_wait(win));
  else
    while (!flag) CALL(MPI_Win_test(win, &flag));
  CHECK(memory[from] == -round);
}

static void locks(int round)
{
  const int target = (rank + round) % size;
  CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
  put(-round, target);
  CALL(MPI_Win_unlock(target, win));
}

static MPI_Group only(MPI_Group all, int member)
{
  MPI_Group group;
  MPI_Group_incl(all, 1, &member, &group);
  return group;
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Win_allocate(room * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int shift = 0; shift < 2; ++shift) {
    const int to = (rank + 1 + shift) % size, from = (rank + 2 * size - 1 - shift) % size;
    MPI_Group origins = only(all, from), targets = only(all, to);
    for (int round = 1; round <= rounds / 2; ++round) {
      fences(round);
      CALL(MPI_Barrier(MPI_COMM_WORLD));
      posts(round, origins, targets, from, to);
      posts(round + 1000, origins, targets, from, to);
      if (round % 8 == 0) {
        /* The same members by another handle. */
        MPI_Group again = only(all, from);
        posts(round + 2000, again, targets, from, to);
        MPI_Group_free(&again);
      }
      CALL(MPI_Barrier(MPI_COMM_WORLD));
      locks(round);
      CALL(MPI_Barrier(MPI_COMM_WORLD));
    }
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
  }
  MPI_Win_free(&win);
  MPI_Group_free(&all);
  return finish();
}
