// The shapes: two accesses on each rank, and between them a synchronisation that waits for nobody.
#ifndef RANKLET_BENCH_LITMUS_SHAPES_H
#define RANKLET_BENCH_LITMUS_SHAPES_H

#include "litmus_tally.h"

enum access { load_it, store_it };

struct step {
  enum access access;
  enum place place;
  int64_t value;
};

struct shape {
  const char* name;
  int ranks;
  int steps[max_ranks];  // 1 or 2 for each rank
  struct step step[max_ranks][2];
  int last_a, last_b;  // whether the last value belongs to the outcome
};

static const struct shape shapes[] = {
    {"mp",
     2,
     {2, 2},
     {{{store_it, at_a, 1}, {store_it, at_b, 1}}, {{load_it, at_b, 0}, {load_it, at_a, 0}}},
     0,
     0},
    {"lb",
     2,
     {2, 2},
     {{{load_it, at_a, 0}, {store_it, at_b, 1}}, {{load_it, at_b, 0}, {store_it, at_a, 1}}},
     0,
     0},
    {"sb",
     2,
     {2, 2},
     {{{store_it, at_a, 1}, {load_it, at_b, 0}}, {{store_it, at_b, 1}, {load_it, at_a, 0}}},
     0,
     0},
    {"s",
     2,
     {2, 2},
     {{{store_it, at_a, 2}, {store_it, at_b, 1}}, {{load_it, at_b, 0}, {store_it, at_a, 1}}},
     1,
     0},
    {"r",
     2,
     {2, 2},
     {{{store_it, at_a, 1}, {store_it, at_b, 1}}, {{store_it, at_b, 2}, {load_it, at_a, 0}}},
     0,
     1},
    {"2+2w",
     2,
     {2, 2},
     {{{store_it, at_a, 1}, {store_it, at_b, 2}}, {{store_it, at_b, 1}, {store_it, at_a, 2}}},
     1,
     1},
    {"iriw",
     4,
     {1, 1, 2, 2},
     {{{store_it, at_a, 1}},
      {{store_it, at_b, 1}},
      {{load_it, at_a, 0}, {load_it, at_b, 0}},
      {{load_it, at_b, 0}, {load_it, at_a, 0}}},
     0,
     0},
    {"coherence",
     2,
     {2, 2},
     {{{store_it, at_a, 1}, {store_it, at_a, 2}}, {{load_it, at_a, 0}, {load_it, at_a, 0}}},
     0,
     0},
};

enum local {
  none,
  c11_acquire,
  c11_release,
  c11_acq_rel,
  c11_seq_cst,
  win_sync,
  win_sync_rules,
  win_flush,
  win_flush_all,
  win_flush_local,
  locals
};
static const char* const local_names[] = {"none",          "c11_acquire",    "c11_release",    "c11_acq_rel",
                                          "c11_seq_cst",   "win_sync",       "win_sync_rules", "win_flush",
                                          "win_flush_all", "win_flush_local"};

static inline void synchronize(struct world* w, enum local how, int target)
{
  switch (how) {
    case c11_acquire:
      atomic_thread_fence(memory_order_acquire);
      break;
    case c11_release:
      atomic_thread_fence(memory_order_release);
      break;
    case c11_acq_rel:
      atomic_thread_fence(memory_order_acq_rel);
      break;
    case c11_seq_cst:
      atomic_thread_fence(memory_order_seq_cst);
      break;
    case win_sync:
    case win_sync_rules:
      MPI_Win_sync(w->win);
      break;
    case win_flush:
      MPI_Win_flush(target, w->win);
      break;
    case win_flush_all:
      MPI_Win_flush_all(w->win);
      break;
    case win_flush_local:
      MPI_Win_flush_local(target, w->win);
      break;
    default:
      break;
  }
}

static void play_directly(struct world* w, const struct shape* s, enum local how, int i)
{
  int read = 0;
  int64_t value[2] = {0, 0};
  for (int k = 0; k < s->steps[w->rank]; ++k) {
    const struct step step = s->step[w->rank][k];
    if (k == 1) synchronize(w, how, owner(s->step[w->rank][0].place));
    if (step.access == store_it)
      direct_store(w, step.place, i, step.value);
    else
      value[read++] = direct_load(w, step.place, i);
  }
  for (int k = 0; k < read; ++k) record(w, i, k, value[k]);
}

// A flush completes operations: the accesses are puts and gets.
static void play_by_operations(struct world* w, const struct shape* s, enum local how, int i)
{
  int64_t value[2] = {0, 0};
  for (int k = 0; k < s->steps[w->rank]; ++k) {
    const struct step step = s->step[w->rank][k];
    if (k == 1) synchronize(w, how, owner(s->step[w->rank][0].place));
    if (step.access == store_it) {
      value[k] = step.value;
      put(w, step.place, i, &value[k]);
    } else {
      get(w, step.place, i, &value[k]);
    }
  }
  MPI_Win_flush_all(w->win);
  int read = 0;
  for (int k = 0; k < s->steps[w->rank]; ++k)
    if (s->step[w->rank][k].access == load_it) record(w, i, read++, value[k]);
}

static void count_shape(struct world* w, const struct shape* s, struct tally* t, int rounds)
{
  for (int i = 0; i < rounds; ++i) {
    int64_t values[max_ranks * max_reads];
    int n = 0;
    for (int r = 0; r < s->ranks; ++r) {
      int reads = 0;
      for (int k = 0; k < s->steps[r]; ++k)
        if (s->step[r][k].access == load_it) values[n++] = seen(w, i, r, reads++);
    }
    if (s->last_a) values[n++] = direct_load(w, at_a, i);
    if (s->last_b) values[n++] = direct_load(w, at_b, i);
    note(t, values, n);
  }
}

static void run_shape(struct world* w, const struct shape* s, enum local how, const struct extent* extent)
{
  struct tally t = {{0}, 0};
  const double started = now_ns();
  long done = 0;
  int now;
  while ((now = next_batch(w, extent, done, started)) > 0) {
    clear(w);
    MPI_Win_lock_all(0, w->win);
    for (int i = 0; i < now; ++i) {
      meet(w);
      if (how >= win_flush)
        play_by_operations(w, s, how, i);
      else
        play_directly(w, s, how, i);
    }
    MPI_Win_unlock_all(w->win);
    MPI_Barrier(w->comm);
    done += now;
    if (w->rank == 0) count_shape(w, s, &t, now);
  }
  if (w->rank == 0) print_tally(w, s->name, local_names[how], done, &t);
}

#endif
