/* docs/memory-model.md: the rules write-read, read-write and write-write, through every synchronisation of a shared
   window, by plain loads and stores; on two or more ranks, of which pairs are tested. Each round lets one rank go
   before the other, in turns. */
#include <stdatomic.h>
#include <string.h>

#include "../check.h"

enum { rounds = 2000, places = 16 };
typedef struct {
  volatile long a, b, c, flag;
} Place;

static int me, other;
static Place* place; /* that of the pair, in rank 0's part */
static MPI_Win win;
static MPI_Group peer;
static MPI_Comm pair;

/* Each is called by both; what `first` has done before comes before what the other one does after. */
static void fence(int first) { (void)first, MPI_Win_fence(0, win); }

static void post_start(int first)
{
  if (me == first) {
    MPI_Win_post(peer, 0, win);
  } else {
    MPI_Win_start(peer, 0, win);
  }
}
static void post_start_end(int first)
{
  if (me == first) {
    MPI_Win_wait(win);
  } else {
    MPI_Win_complete(win);
  }
}

static void complete_wait_begin(int first)
{
  if (me == first) {
    MPI_Win_start(peer, 0, win);
  } else {
    MPI_Win_post(peer, 0, win);
  }
}
static void complete_wait(int first)
{
  if (me == first) {
    MPI_Win_complete(win);
  } else {
    MPI_Win_wait(win);
  }
}

static void sync_message(int first)
{
  MPI_Win_sync(win);
  if (me == first)
    MPI_Send(NULL, 0, MPI_INT, other, 0, pair);
  else
    MPI_Recv(NULL, 0, MPI_INT, other, 0, pair, MPI_STATUS_IGNORE);
  MPI_Win_sync(win);
}
static void sync_barrier(int first)
{
  (void)first;
  MPI_Win_sync(win);
  MPI_Barrier(pair);
  MPI_Win_sync(win);
}
static long polled;
static void sync_polled(int first)
{
  ++polled;
  MPI_Win_sync(win);
  if (me == first)
    atomic_store_explicit((_Atomic long*)&place->flag, polled, memory_order_relaxed);
  else
    while (atomic_load_explicit((_Atomic long*)&place->flag, memory_order_relaxed) != polled) {
    }
  MPI_Win_sync(win);
}
static void lock_all(void) { MPI_Win_lock_all(MPI_MODE_NOCHECK, win); }
static void unlock_all(void) { MPI_Win_unlock_all(win); }

/* The locks' order is not the program's choice: the one who comes second knows it by what the first has left. */
static long locked_rounds;
static void lock_rounds(void)
{
  for (long wanted = 1; wanted <= rounds;) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    if (place->flag % 2 == me) {
      CHECK(place->a == place->flag && place->b == -place->flag);
      place->a = place->flag + 1;
      place->b = -place->flag - 1;
      place->flag = place->flag + 1;
      ++wanted;
      ++locked_rounds;
    }
    MPI_Win_unlock(0, win);
  }
}

static void nothing(int first) { (void)first; }
static void before(void) {}

static void run(const char* name, void (*enter)(void), void (*leave)(void), void (*begin)(int), void (*order)(int),
                void (*end)(int))
{
  const int failures = check_failures;
  MPI_Barrier(pair);
  if (me == 0) place->a = place->b = place->c = 0;
  MPI_Barrier(pair);
  enter();
  for (long i = 1; i <= rounds; ++i) {
    const int first = i % 2;
    begin(first);
    long seen_b = 0;
    if (me == first) {
      place->a = i;
      seen_b = place->b;
      place->c = -i;
    }
    order(first);
    if (me != first) {
      CHECK(place->a == i); /* write-read */
      place->b = i;         /* read-write: not seen by the load before */
      place->c = i;         /* write-write: what is stored later stays */
      CHECK(place->c == i);
    } else {
      CHECK(seen_b < i);
    }
    end(first);
    MPI_Barrier(pair); /* before the next round */
  }
  leave();
  if (failures != check_failures) fprintf(stderr, "  ... in %s\n", name);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &pair);
  MPI_Comm_size(pair, &size);
  MPI_Comm_rank(pair, &me);
  other = 1 - me;
  if (size == 2) {
    MPI_Group group;
    MPI_Aint bytes;
    int unit;
    Place* mine;
    MPI_Win_allocate_shared(places * sizeof(Place), 1, MPI_INFO_NULL, pair, &mine, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &place);
    if (me == 0) memset((void*)place, 0, sizeof *place);
    MPI_Comm_group(pair, &group);
    MPI_Group_incl(group, 1, &other, &peer);
    run("MPI_Win_fence", before, before, nothing, fence, nothing);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    run("MPI_Win_post, MPI_Win_start", before, before, nothing, post_start, post_start_end);
    run("MPI_Win_complete, MPI_Win_wait", before, before, complete_wait_begin, complete_wait, nothing);
    run("MPI_Win_sync, message, MPI_Win_sync", lock_all, unlock_all, nothing, sync_message, nothing);
    run("MPI_Win_sync, MPI_Barrier, MPI_Win_sync", lock_all, unlock_all, nothing, sync_barrier, nothing);
    run("MPI_Win_sync, polled variable, MPI_Win_sync", lock_all, unlock_all, nothing, sync_polled, nothing);
    MPI_Barrier(pair);
    if (me == 0) place->a = place->b = place->flag = 0;
    MPI_Barrier(pair);
    lock_rounds();
    CHECK(locked_rounds == rounds);
    MPI_Win_free(&win);
    MPI_Group_free(&group);
    MPI_Group_free(&peer);
  }
  MPI_Comm_free(&pair);
  return finish();
}
