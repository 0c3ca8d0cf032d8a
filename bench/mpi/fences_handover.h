// What a rule costs from one rank to the other: the ranks hand a location to and fro, through each
// synchronisation.
//
// A turn from rank P to rank Q: P accesses the location, synchronises towards Q, and Q accesses it.
// write-read: P stores, Q loads. read-write: P loads, Q stores. write-write: P stores, Q stores and loads.
// Half of a turn there and back is one handover; a synchronisation that works both ways at once hands over
// two locations, and is one.
#ifndef RANKLET_BENCH_FENCES_HANDOVER_H
#define RANKLET_BENCH_FENCES_HANDOVER_H

#include "fences_world.h"

enum rule { write_read, read_write, write_write, rules };
static const char* const rule_names[] = {"write-read", "read-write", "write-write"};

// What P does after its access, and Q before its own. `from` is null where both do `to`.
struct handover {
  const char* name;
  void (*open)(struct world*);
  void (*from)(struct world*);
  void (*to)(struct world*);
  int passive;
};

static void nothing(struct world* w)
{
  (void)w;
}
static void flag_from(struct world* w, memory_order order)
{
  atomic_store_explicit(w->mine + flag, ++w->turn, order);
}
static void flag_to(struct world* w, memory_order order)
{
  await(w->theirs + flag, ++w->turn, order, 5000);
}
static void polled_from(struct world* w)
{
  flag_from(w, memory_order_relaxed);
}
static void polled_to(struct world* w)
{
  flag_to(w, memory_order_relaxed);
}
static void c11_from(struct world* w)
{
  flag_from(w, memory_order_release);
}
static void c11_to(struct world* w)
{
  flag_to(w, memory_order_acquire);
}
static void fenced_from(struct world* w)
{
  atomic_thread_fence(memory_order_seq_cst);
  polled_from(w);
}
static void fenced_to(struct world* w)
{
  polled_to(w);
  atomic_thread_fence(memory_order_seq_cst);
}
static void message_from(struct world* w)
{
  MPI_Send(&w->turn, 1, MPI_INT64_T, 1 - w->rank, 0, MPI_COMM_WORLD);
}
static void message_to(struct world* w)
{
  int64_t turn;
  MPI_Recv(&turn, 1, MPI_INT64_T, 1 - w->rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void sync_polled_from(struct world* w)
{
  MPI_Win_sync(w->win);
  polled_from(w);
}
static void sync_polled_to(struct world* w)
{
  polled_to(w);
  MPI_Win_sync(w->win);
}
static void sync_message_from(struct world* w)
{
  MPI_Win_sync(w->win);
  message_from(w);
}
static void sync_message_to(struct world* w)
{
  message_to(w);
  MPI_Win_sync(w->win);
}
static void barrier_both(struct world* w)
{
  (void)w;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void sync_barrier_both(struct world* w)
{
  MPI_Win_sync(w->win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(w->win);
}
static void fence_both(struct world* w)
{
  MPI_Win_fence(0, w->win);
}
static void start_origin(struct world* w)
{
  MPI_Win_start(w->neighbour, 0, w->win);
}
static void complete_from(struct world* w)
{
  MPI_Win_complete(w->win);
}
static void post_wait_to(struct world* w)
{
  MPI_Win_post(w->neighbour, 0, w->win);
  MPI_Win_wait(w->win);
}
// The lock at rank 0 goes to and fro; a polled variable, which gives no order, says whose turn it is.
static void lock_it(struct world* w)
{
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win);
}
static void unlock_from(struct world* w)
{
  MPI_Win_unlock(0, w->win);
  polled_from(w);
}
static void locked_to(struct world* w)
{
  await(w->theirs + flag, ++w->turn, memory_order_relaxed, 20);
  lock_it(w);
  MPI_Win_unlock(0, w->win);
}

static inline void before(enum rule rule, word* at, int64_t value)
{
  if (rule == read_write)
    (void)atomic_load_explicit(at, memory_order_relaxed);
  else
    atomic_store_explicit(at, value, memory_order_relaxed);
}
// The relaxed polled variable promises nothing, so what is read there is not judged.
static inline void after(enum rule rule, word* at, int64_t value, const char* name)
{
  if (rule != write_read) atomic_store_explicit(at, value, memory_order_relaxed);
  if (rule == read_write) return;
  const int64_t seen = atomic_load_explicit(at, memory_order_relaxed);
  if (seen != value && strcmp(name, "polled_relaxed") != 0)
    wrong("%s through %s: %ld instead of %ld", rule_names[rule], name, (long)seen, (long)value);
}

static enum rule now_rule;
static const struct handover* now_handover;

static double hand_over(struct world* w, int calls)
{
  const struct handover* h = now_handover;
  const enum rule rule = now_rule;
  // Rank r's turn is about the location in its memory.
  word *out = w->mine + data, *in = w->theirs + data;
  MPI_Barrier(MPI_COMM_WORLD);
  if (h->passive) MPI_Win_lock_all(0, w->win);
  const double start = now_ns();
  for (int i = 1; i <= calls; ++i) {
    for (int turn = 0; turn < 2; ++turn) {
      // What the last one stores in a turn says which turn it was.
      if (h->from == NULL) {
        if (turn == 1) break;
        before(rule, out, i);
        h->to(w);
        // The other one may go on at once, and change its location: no value can be asked for here.
        after(rule == write_read ? read_write : rule, rule == write_read ? w->mine + counter : out, i,
              h->name);
        if (rule == write_read && atomic_load_explicit(in, memory_order_relaxed) < i)
          wrong("write-read through %s: turn %d is missing", h->name, i);
      } else if (turn == w->rank) {
        h->open(w);
        before(rule, out, i);
        h->from(w);
      } else {
        h->to(w);
        after(rule, in, i, h->name);
      }
    }
  }
  const double time = now_ns() - start;
  if (h->passive) MPI_Win_unlock_all(w->win);
  return time;
}

static inline void run_handovers(struct world* w)
{
  static const struct handover all[] = {
      {"polled_relaxed", nothing, polled_from, polled_to, 0},
      {"polled_release_acquire", nothing, c11_from, c11_to, 0},
      {"polled_seq_cst_fences", nothing, fenced_from, fenced_to, 0},
      {"win_sync_polled", nothing, sync_polled_from, sync_polled_to, 1},
      {"message", nothing, message_from, message_to, 0},
      {"win_sync_message", nothing, sync_message_from, sync_message_to, 1},
      {"barrier", nothing, NULL, barrier_both, 0},
      {"win_sync_barrier", nothing, NULL, sync_barrier_both, 1},
      {"win_fence", nothing, NULL, fence_both, 0},
      {"pscw", start_origin, complete_from, post_wait_to, 0},
      {"lock_unlock", lock_it, unlock_from, locked_to, 0},
  };
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
    for (enum rule rule = 0; rule < rules; ++rule) {
      now_rule = rule;
      now_handover = &all[k];
      sample(w, rule_names[rule], all[k].name, hand_over, all[k].from ? 0.5 : 1);
    }
}

#endif
