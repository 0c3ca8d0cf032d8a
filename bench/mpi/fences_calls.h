// One-sided calls of rank 0 to rank 1, which waits in a barrier, and epochs of both.
#ifndef RANKLET_BENCH_FENCES_CALLS_H
#define RANKLET_BENCH_FENCES_CALLS_H

#include "fences_world.h"

// A loop of rank 0 alone, in an epoch or not, which the target must allow while it waits.
#define ORIGIN(name, passive, body)              \
  static double name(struct world* w, int calls) \
  {                                              \
    MPI_Barrier(MPI_COMM_WORLD);                 \
    double time = 0;                             \
    if (w->rank == 0) {                          \
      if (passive) MPI_Win_lock_all(0, w->win);  \
      const double start = now_ns();             \
      for (int i = 0; i < calls; ++i) body;      \
      time = now_ns() - start;                   \
      if (passive) MPI_Win_unlock_all(w->win);   \
    }                                            \
    MPI_Barrier(MPI_COMM_WORLD);                 \
    return time;                                 \
  }

// Calls whose effect is looked at when the loop is over.
static inline int64_t at_target(struct world* w)
{
  atomic_thread_fence(memory_order_seq_cst);
  return atomic_load(w->theirs + data);
}
static inline void expect_at_target(struct world* w, int64_t value, const char* what)
{
  if (at_target(w) != value)
    wrong("%s: the target holds %ld, not %ld", what, (long)at_target(w), (long)value);
}

ORIGIN(win_sync, 1, MPI_Win_sync(w->win))
ORIGIN(flush, 1, MPI_Win_flush(1, w->win))
ORIGIN(flush_all, 1, MPI_Win_flush_all(w->win))
ORIGIN(flush_local, 1, MPI_Win_flush_local(1, w->win))
ORIGIN(lock_exclusive, 0, {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w->win);
  MPI_Win_unlock(1, w->win);
})
ORIGIN(lock_shared, 0, {
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w->win);
  MPI_Win_unlock(1, w->win);
})
ORIGIN(lock_nocheck, 0, {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, MPI_MODE_NOCHECK, w->win);
  MPI_Win_unlock(1, w->win);
})
ORIGIN(lock_all, 0, {
  MPI_Win_lock_all(0, w->win);
  MPI_Win_unlock_all(w->win);
})
static int64_t put_value;
ORIGIN(put8, 1, {
  put_value = i + 1;
  MPI_Put(&put_value, 1, MPI_INT64_T, 1, data, 1, MPI_INT64_T, w->win);
  MPI_Win_flush(1, w->win);
})
static int64_t got;
ORIGIN(get8, 1, {
  MPI_Get(&got, 1, MPI_INT64_T, 1, data, 1, MPI_INT64_T, w->win);
  MPI_Win_flush(1, w->win);
})
static const int64_t one = 1;
ORIGIN(accumulate8, 1, {
  MPI_Accumulate(&one, 1, MPI_INT64_T, 1, data, 1, MPI_INT64_T, MPI_SUM, w->win);
  MPI_Win_flush(1, w->win);
})
ORIGIN(fetch_and_op, 1, {
  MPI_Fetch_and_op(&one, &got, MPI_INT64_T, 1, data, MPI_SUM, w->win);
  MPI_Win_flush(1, w->win);
})
ORIGIN(compare_and_swap, 1, {
  const int64_t before = i;
  const int64_t after = i + 1;
  MPI_Compare_and_swap(&after, &before, &got, MPI_INT64_T, 1, data, w->win);
  MPI_Win_flush(1, w->win);
})
ORIGIN(put_large, 1, {
  MPI_Put(w->large, large_bytes, MPI_BYTE, 1, large_at, large_bytes, MPI_BYTE, w->win);
  MPI_Win_flush(1, w->win);
})
ORIGIN(memcpy_large, 0, {
  memcpy((void*)(w->theirs + large_at), w->large, large_bytes);
  atomic_signal_fence(memory_order_seq_cst);
})
#undef ORIGIN

static double put8_checked(struct world* w, int calls)
{
  const double time = put8(w, calls);
  if (w->rank == 0) expect_at_target(w, calls, "put 8 B");
  return time;
}
// These count up from 0 at the target.
static void reset(struct world* w)
{
  if (w->rank == 1) atomic_store(w->mine + data, 0);
  MPI_Barrier(MPI_COMM_WORLD);
}
static double accumulate8_checked(struct world* w, int calls)
{
  reset(w);
  const double time = accumulate8(w, calls);
  if (w->rank == 0) expect_at_target(w, calls, "accumulate 8 B");
  return time;
}
static double fetch_and_op_checked(struct world* w, int calls)
{
  reset(w);
  const double time = fetch_and_op(w, calls);
  if (w->rank == 0) expect_at_target(w, calls, "fetch and op");
  if (w->rank == 0 && got != calls - 1) wrong("the last fetch brought %ld, not %d", (long)got, calls - 1);
  return time;
}
static double compare_and_swap_checked(struct world* w, int calls)
{
  reset(w);
  const double time = compare_and_swap(w, calls);
  if (w->rank == 0) expect_at_target(w, calls, "compare and swap");
  return time;
}
// Both begin with a buffer that has just been written, and end with one that has been compared.
static double copied(struct world* w, int calls, loop* copy)
{
  fill(w->large, large_bytes, (unsigned)++w->turn);
  const double time = copy(w, calls);
  if (w->rank == 0 && memcmp(w->large, (void*)(w->theirs + large_at), large_bytes) != 0)
    wrong("1 MiB: content differs");
  return time;
}
static double put_large_checked(struct world* w, int calls)
{
  return copied(w, calls, put_large);
}
static double memcpy_large_checked(struct world* w, int calls)
{
  return copied(w, calls, memcpy_large);
}

static double win_fence(struct world* w, int calls)
{
  MPI_Win_fence(MPI_MODE_NOPRECEDE, w->win);
  const double start = now_ns();
  for (int i = 0; i < calls; ++i) MPI_Win_fence(0, w->win);
  const double time = now_ns() - start;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
  return time;
}

// Post, start, put 8 bytes, complete, wait.
static double pscw_epoch(struct world* w, int calls)
{
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = now_ns();
  for (int i = 0; i < calls; ++i) {
    if (w->rank == 0) {
      const int64_t value = i + 1;
      MPI_Win_start(w->neighbour, 0, w->win);
      MPI_Put(&value, 1, MPI_INT64_T, 1, data, 1, MPI_INT64_T, w->win);
      MPI_Win_complete(w->win);
    } else {
      MPI_Win_post(w->neighbour, 0, w->win);
      MPI_Win_wait(w->win);
      const int64_t value = atomic_load_explicit(w->mine + data, memory_order_relaxed);
      if (value != i + 1) wrong("epoch %d: %ld was put", i + 1, (long)value);
    }
  }
  return now_ns() - start;
}

static inline void run_calls(struct world* w)
{
  static const struct {
    const char* name;
    loop* run;
  } calls[] = {
      {"win_sync", win_sync},
      {"flush", flush},
      {"flush_all", flush_all},
      {"flush_local", flush_local},
      {"put8_flush", put8_checked},
      {"get8_flush", get8},
      {"accumulate8_flush", accumulate8_checked},
      {"fetch_and_op_flush", fetch_and_op_checked},
      {"compare_and_swap_flush", compare_and_swap_checked},
      {"lock_unlock_exclusive", lock_exclusive},
      {"lock_unlock_shared", lock_shared},
      {"lock_unlock_nocheck", lock_nocheck},
      {"lock_unlock_all", lock_all},
      {"win_fence", win_fence},
      {"pscw_epoch_put8", pscw_epoch},
      {"put1MiB_flush", put_large_checked},
      {"memcpy1MiB", memcpy_large_checked},
  };
  for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k) sample(w, "call", calls[k].name, calls[k].run, 1);
}

#endif
