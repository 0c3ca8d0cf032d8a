// The rules: an access on rank 0, a synchronisation from rank 0 to all others, an access on rank 1; loads on
// all others.
#ifndef RANKLET_BENCH_LITMUS_RULES_H
#define RANKLET_BENCH_LITMUS_RULES_H

#include "litmus_tally.h"

enum rule { write_read, read_write, write_write, rules };
static const char* const rule_names[] = {"write-read", "read-write", "write-write"};

// A synchronisation: what rank 0 does in `from` and the others in `to`; all `enter` before the first access
// of a round and `leave` after the last one.
struct directed {
  const char* name;
  void (*enter)(struct world*);
  void (*from)(struct world*, int);
  void (*to)(struct world*, int);
  void (*leave)(struct world*);
  unsigned options;
};
enum {
  passive = 1,  // in an epoch of MPI_Win_lock_all
  syncs = 2,    // MPI_Win_sync before `from` and after `to`
  flushes = 4,  // rank 0 accesses by operations, and flushes them before `from`
  flushes_all = 8,
  operations = 16  // the others access rank 0's memory by operations, complete after `leave`
};

static void nothing(struct world* w)
{
  (void)w;
}
static void flag_from(struct world* w, int i)
{
  raise_flag(w, i);
}
static void flag_to(struct world* w, int i)
{
  await_flag(w, i, memory_order_relaxed);
}
static void c11_from(struct world* w, int i)
{
  atomic_thread_fence(memory_order_release);
  raise_flag(w, i);
}
static void c11_to(struct world* w, int i)
{
  await_flag(w, i, memory_order_acquire);
}
static void message_from(struct world* w, int i)
{
  for (int r = 1; r < w->size; ++r) MPI_Send(&i, 1, MPI_INT, r, 0, w->comm);
}
static void message_to(struct world* w, int i)
{
  MPI_Recv(&i, 1, MPI_INT, 0, 0, w->comm, MPI_STATUS_IGNORE);
}
static void barrier(struct world* w, int i)
{
  (void)i;
  MPI_Barrier(w->comm);
}
static void fence(struct world* w, int i)
{
  (void)i;
  MPI_Win_fence(0, w->win);
}
static void opening_fence(struct world* w, int i)
{
  (void)i;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, w->win);
}
static void closing_fence(struct world* w)
{
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
}

static void post_from(struct world* w, int i)
{
  (void)i;
  MPI_Win_post(w->opposite, 0, w->win);
}
static void start_to(struct world* w, int i)
{
  (void)i;
  MPI_Win_start(w->opposite, 0, w->win);
}
static void end_of_post(struct world* w)
{
  if (w->rank == 0)
    MPI_Win_wait(w->win);
  else
    MPI_Win_complete(w->win);
}
static void start_of_complete(struct world* w)
{
  if (w->rank == 0)
    MPI_Win_start(w->opposite, 0, w->win);
  else
    MPI_Win_post(w->opposite, 0, w->win);
}
static void complete_from(struct world* w, int i)
{
  (void)i;
  MPI_Win_complete(w->win);
}
static void wait_to(struct world* w, int i)
{
  (void)i;
  MPI_Win_wait(w->win);
}

// The others ask for the lock when rank 0 holds it, as the flag says, which gives no order.
static void lock_exclusively(struct world* w)
{
  if (w->rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w->win);
}
static void lock_shared(struct world* w)
{
  if (w->rank == 0) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w->win);
}
static void lock_all(struct world* w)
{
  if (w->rank == 0) MPI_Win_lock_all(0, w->win);
}
static void unlock_from(struct world* w, int i)
{
  raise_flag(w, i);
  MPI_Win_unlock(1, w->win);
}
static void unlock_all_from(struct world* w, int i)
{
  raise_flag(w, i);
  MPI_Win_unlock_all(w->win);
}
static void exclusive_to(struct world* w, int i)
{
  flag_to(w, i);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w->win);
}
static void shared_to(struct world* w, int i)
{
  flag_to(w, i);
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w->win);
}
static void all_to(struct world* w, int i)
{
  flag_to(w, i);
  MPI_Win_lock_all(0, w->win);
}
static void unlock_after(struct world* w)
{
  if (w->rank != 0) MPI_Win_unlock(1, w->win);
}
static void unlock_all_after(struct world* w)
{
  if (w->rank != 0) MPI_Win_unlock_all(w->win);
}

static const struct directed all_directed[] = {
    {"polled", nothing, flag_from, flag_to, nothing, 0},
    {"c11_polled", nothing, c11_from, c11_to, nothing, 0},
    {"message", nothing, message_from, message_to, nothing, 0},
    {"barrier", nothing, barrier, barrier, nothing, 0},
    {"sync_polled", nothing, flag_from, flag_to, nothing, passive | syncs},
    {"sync_message", nothing, message_from, message_to, nothing, passive | syncs},
    {"sync_barrier", nothing, barrier, barrier, nothing, passive | syncs},
    {"flush_sync", nothing, flag_from, flag_to, nothing, passive | syncs | flushes},
    {"flush_all_sync", nothing, flag_from, flag_to, nothing, passive | syncs | flushes_all},
    {"fence", nothing, fence, fence, nothing, 0},
    {"fence_noprecede", nothing, opening_fence, opening_fence, closing_fence, operations},
    {"post_start", nothing, post_from, start_to, end_of_post, 0},
    {"complete_wait", start_of_complete, complete_from, wait_to, nothing, 0},
    {"exclusive_exclusive", lock_exclusively, unlock_from, exclusive_to, unlock_after, 0},
    {"exclusive_shared", lock_exclusively, unlock_from, shared_to, unlock_after, 0},
    {"exclusive_all", lock_exclusively, unlock_from, all_to, unlock_all_after, 0},
    {"shared_exclusive", lock_shared, unlock_from, exclusive_to, unlock_after, 0},
    {"shared_shared", lock_shared, unlock_from, shared_to, unlock_after, 0},
    {"all_exclusive", lock_all, unlock_all_from, exclusive_to, unlock_after, 0},
};

// Rank 0's side of a round.
static void play_first(struct world* w, const struct directed* d, enum rule rule, enum place place, int i)
{
  int64_t value = 1;
  const int loads = rule == read_write;
  const int by_operation = (d->options & (flushes | flushes_all)) != 0;
  if (by_operation) {
    if (loads)
      get(w, place, i, &value);
    else
      put(w, place, i, &value);
    if (d->options & flushes)
      MPI_Win_flush(owner(place), w->win);
    else
      MPI_Win_flush_all(w->win);
  } else if (loads) {
    value = direct_load(w, place, i);
  } else {
    direct_store(w, place, i, 1);
  }
  if ((d->options & syncs) && !by_operation) MPI_Win_sync(w->win);
  d->from(w, i);
  d->leave(w);
  if (loads) record(w, i, 0, value);
}

// The others' side. Only rank 1 stores; who does not access at all only synchronises.
static void play_others(struct world* w, const struct directed* d, enum rule rule, enum place place, int i)
{
  const int takes_part = rule == write_read || w->rank == 1;
  int64_t value = rule == read_write ? 1 : 2;
  d->to(w, i);
  if (d->options & syncs) MPI_Win_sync(w->win);
  if (!takes_part) {
    d->leave(w);
    return;
  }
  if (d->options & operations) {
    if (rule == write_read)
      get(w, place, i, &value);
    else
      put(w, place, i, &value);
    d->leave(w);
    if (rule == write_write) value = direct_load(w, place, i);
  } else {
    if (rule != write_read) direct_store(w, place, i, value);
    if (rule != read_write) value = direct_load(w, place, i);
    d->leave(w);
  }
  if (rule != read_write) record(w, i, 0, value);
}

static void run_rule(struct world* w, enum rule rule, const struct directed* d, const struct extent* extent)
{
  struct tally t = {{0}, 0};
  // Operations reach the memory of the rank whose fence, unlike theirs, comes first.
  const enum place place = d->options & operations ? at_b : at_a;
  const double started = now_ns();
  long done = 0;
  int now;
  while ((now = next_batch(w, extent, done, started)) > 0) {
    clear(w);
    if (d->options & passive) MPI_Win_lock_all(0, w->win);
    for (int i = 0; i < now; ++i) {
      meet(w);
      d->enter(w);
      if (w->rank == 0)
        play_first(w, d, rule, place, i);
      else
        play_others(w, d, rule, place, i);
    }
    if (d->options & passive) MPI_Win_unlock_all(w->win);
    MPI_Barrier(w->comm);
    done += now;
    const int first = rule == read_write ? 0 : 1, last = rule == write_read ? w->size - 1 : first;
    for (int i = 0; w->rank == 0 && i < now; ++i)
      for (int reader = first; reader <= last; ++reader) {
        const int64_t value = seen(w, i, reader, 0);
        note(&t, &value, 1);
      }
  }
  if (w->rank == 0) print_tally(w, rule_names[rule], d->name, done, &t);
}

#endif
