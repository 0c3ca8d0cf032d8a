/* Accesses to one word of a shared window, which ThreadSanitizer watches: some are ordered, some race. */
#include "../diagnosis/cases.h"

static void store(int value)
{
  *word = value; /* store */
}

static void load_expected(int expected)
{
  const int value = *word; /* load */
  if (value != expected) fprintf(stderr, "found %d instead of %d\n", value, expected);
}

static void put(int value)
{
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* put */
  MPI_Win_flush(0, win);
}

static void start(void)
{
  open_shared();
  MPI_Win_lock_all(0, win);
}

static void end(void)
{
  barrier();
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

static void sync_and_barrier(void)
{
  start();
  if (rank == 0) store(1);
  MPI_Win_sync(win);
  barrier();
  MPI_Win_sync(win);
  if (rank == 1) load_expected(1);
  end();
}

static void fence(void)
{
  open_shared();
  MPI_Win_fence(0, win);
  if (rank == 0) store(1);
  MPI_Win_fence(0, win);
  if (rank == 1) load_expected(1);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
}

static void locks(void)
{
  int i;
  open_shared();
  for (i = 0; i < 100; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    store(1);
    load_expected(1);
    MPI_Win_unlock(0, win);
  }
  MPI_Win_free(&win);
}

static void epoch(void)
{
  const int two = 2;
  MPI_Group group;
  open_shared();
  group = group_of_other();
  if (rank == 0) {
    store(1);
    MPI_Win_post(group, 0, win);
    MPI_Win_wait(win);
    load_expected(2);
  } else {
    MPI_Win_start(group, 0, win);
    load_expected(1);
    MPI_Put(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
  }
  MPI_Group_free(&group);
  MPI_Win_free(&win);
}

/* Both are here, by directories: a call of either might order them by a lock, where the library is watched, too. */
static void meet(int where)
{
  char path[4096];
  struct stat status;
  snprintf(path, sizeof path, "%s.%d.%d", getenv("CASE_TURN"), where, rank);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s.%d.%d", getenv("CASE_TURN"), where, other);
  while (stat(path, &status) != 0) sched_yield();
}

static void store_and_load(void)
{
  start();
  meet(0);
  turn();
  if (rank == 0)
    store(1);
  else
    load_expected(first == 0);
  done();
  meet(1);
  end();
}

static void store_and_put(void)
{
  start();
  meet(0);
  turn();
  if (rank == 0)
    store(1);
  else
    put(2);
  done();
  meet(1);
  end();
}

/* The rank ends in the call. */
static void fatal_error(void)
{
  start();
  MPI_Win_flush(99, win);
}

static const struct test_case cases[] = {
    {"sync_and_barrier", "right", "12.5.4", sync_and_barrier},
    {"fence", "right", "12.5.1", fence},
    {"locks", "right", "12.5.3", locks},
    {"epoch", "right", "12.5.2", epoch},
    {"store_and_load", "wrong", "12.7", store_and_load},
    {"store_and_put", "wrong", "12.7", store_and_put},
    {"fatal_error", "wrong", "9.3", fatal_error},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
