/* For the files whose cases mostly hold locks of all targets from the start to the end. */
#ifndef LOCKED_H
#define LOCKED_H

#include "cases.h"

static inline void start(void)
{
  open_window();
  MPI_Win_lock_all(0, win);
}

/* All operations are complete at their targets, and everybody knows. */
static inline void meet(void)
{
  MPI_Win_flush_all(win);
  barrier();
  MPI_Win_sync(win);
}

static inline void end(void)
{
  barrier();
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

static inline void end_without_locks(void)
{
  barrier();
  MPI_Win_free(&win);
}

#endif
