// Accesses to one word of a shared window, which ThreadSanitizer watches: some are ordered, some race.
//     races CASE [DIRECTORY]
// Of two that race, rank 0's comes first, which rank 1 learns of in a way that orders nothing, by the directory:
// ThreadSanitizer can miss two accesses that are made at the very same time.
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static MPI_Win win;
static int* word;  // in rank 0's part
static int rank;
static const char* directory;

static void store(int value)
{
  *word = value; /* store */
}

static void load(int expected)
{
  const int value = *word; /* load */
  if (expected && value != expected) fprintf(stderr, "found %d instead of %d\n", value, expected);
  if (value > 2) printf("%d\n", value);
}

static void put(int value)
{
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* put */
  MPI_Win_flush(0, win);
}

static void sync_and_barrier(void)
{
  if (rank == 0) store(1);
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  if (rank == 1) load(1);
}

static void fence(void)
{
  MPI_Win_unlock_all(win);
  MPI_Win_fence(0, win);
  if (rank == 0) store(1);
  MPI_Win_fence(0, win);
  if (rank == 1) load(1);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_lock_all(0, win);
}

static void locks(void)
{
  MPI_Win_unlock_all(win);
  for (int i = 0; i < 100; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    store(1);
    load(1);
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* Held until the end: the other one's locks come first. */
  MPI_Win_lock_all(0, win);
}

static void epoch(void)
{
  MPI_Win_unlock_all(win);
  MPI_Group all, other;
  const int others[] = {1 - rank};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, others, &other);
  if (rank == 0) {
    store(1);
    MPI_Win_post(other, 0, win);
    MPI_Win_wait(win);
    load(2);
  } else {
    MPI_Win_start(other, 0, win);
    load(1);
    const int two = 2;
    MPI_Put(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&other);
  MPI_Win_lock_all(0, win);
}

static void store_first(void)
{
  struct stat status;
  if (rank == 0) {
    store(1);
    mkdir(directory, 0700);
  } else {
    while (stat(directory, &status) != 0) sched_yield();
  }
}

static void store_and_load(void)
{
  store_first();
  if (rank == 1) load(0);
}

static void store_and_put(void)
{
  store_first();
  if (rank == 1) put(2);
}

/* The rank ends in the call. */
static void fatal_error(void)
{
  MPI_Win_flush(99, win);
}

static const struct {
  const char* name;
  void (*body)(void);
} cases[] = {{"sync_and_barrier", sync_and_barrier},
             {"fence", fence},
             {"locks", locks},
             {"epoch", epoch},
             {"store_and_load", store_and_load},
             {"store_and_put", store_and_put},
             {"fatal_error", fatal_error}};

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  if (argc > 2) directory = argv[2];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate_shared(rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &word,
                          &win);
  MPI_Aint size;
  int unit;
  MPI_Win_shared_query(win, 0, &size, &unit, &word);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) cases[i].body();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
