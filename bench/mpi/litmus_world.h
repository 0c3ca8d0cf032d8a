// The stage of bench/mpi/litmus.c: two locations for each round in a shared window, the ways to access them,
// and a meeting of the ranks before each round.
#ifndef RANKLET_BENCH_LITMUS_WORLD_H
#define RANKLET_BENCH_LITMUS_WORLD_H

#include <stdatomic.h>
#include <stdint.h>

#include "measure.h"

enum { batch = 512, max_ranks = 4, line = 8, max_reads = 2 };

typedef _Atomic int64_t word;

// What the ranks share. Location A lies in the memory of rank 1, B in that of rank 0, each in a line of its
// own for each round of a batch.
struct world {
  int rank, size;
  MPI_Comm comm;
  MPI_Group opposite;  // of rank 0: all others; of the others: rank 0
  MPI_Win win;
  word *a, *b, *flag;   // [batch * line], direct addresses
  word* turn;           // [max_ranks * line]
  word* seen;           // [batch * max_ranks * max_reads]: what each rank read in each round
  MPI_Aint a_at, b_at;  // displacements in their owners' memory
  uint64_t turns, random;
};

enum place { at_a, at_b };

static inline word* cell(struct world* w, enum place place, int i)
{
  return (place == at_a ? w->a : w->b) + (size_t)i * line;
}
static inline int owner(enum place place)
{
  return place == at_a ? 1 : 0;
}
static inline MPI_Aint displacement(struct world* w, enum place place, int i)
{
  return (place == at_a ? w->a_at : w->b_at) + (MPI_Aint)i * line;
}

// Accesses by instructions: relaxed, so that the compiler keeps each, in any order that C allows.
static inline void direct_store(struct world* w, enum place place, int i, int64_t value)
{
  atomic_store_explicit(cell(w, place, i), value, memory_order_relaxed);
}
static inline int64_t direct_load(struct world* w, enum place place, int i)
{
  return atomic_load_explicit(cell(w, place, i), memory_order_relaxed);
}
// Accesses by calls; the buffer lives until the operation is complete.
static inline void put(struct world* w, enum place place, int i, const int64_t* value)
{
  MPI_Put(value, 1, MPI_INT64_T, owner(place), displacement(w, place, i), 1, MPI_INT64_T, w->win);
}
static inline void get(struct world* w, enum place place, int i, int64_t* value)
{
  MPI_Get(value, 1, MPI_INT64_T, owner(place), displacement(w, place, i), 1, MPI_INT64_T, w->win);
}

static inline void record(struct world* w, int i, int which, int64_t value)
{
  atomic_store_explicit(w->seen + ((size_t)i * max_ranks + w->rank) * max_reads + which, value,
                        memory_order_relaxed);
}

static inline int64_t seen(struct world* w, int i, int rank, int which)
{
  return atomic_load_explicit(w->seen + ((size_t)i * max_ranks + rank) * max_reads + which,
                              memory_order_relaxed);
}

// Where ranks wait, they let others run after a while, and MPI make progress: a lock may need its target.
static inline void wait_a_little(unsigned* tries)
{
  if (++*tries < 300) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    return;
  }
  int found;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  sched_yield();
}

// relaxed: a polled variable that gives no order of its own.
static inline void raise_flag(struct world* w, int i)
{
  atomic_store_explicit(w->flag + (size_t)i * line, 1, memory_order_relaxed);
}
static inline void await_flag(struct world* w, int i, memory_order order)
{
  unsigned tries = 0;
  while (atomic_load_explicit(w->flag + (size_t)i * line, order) == 0) wait_a_little(&tries);
}

// A clock that all cores share, in some unit.
static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return (uint64_t)now_ns();
#endif
}

// All ranks begin a round at one time, give or take a random bit. Release and acquire keep the rounds apart.
// The last one to hear would come a hop late if the others did not wait for the time that rank 0 sets.
static inline void meet(struct world* w)
{
  enum { ahead = 1200, jitter = 255 };  // ticks: a few hops; a few accesses
  const int64_t mine = (int64_t)++w->turns;
  unsigned tries = 0;
  if (w->rank == 0) {
    for (int r = 1; r < w->size; ++r)
      while (atomic_load_explicit(w->turn + r * line, memory_order_acquire) < mine) wait_a_little(&tries);
    atomic_store_explicit(w->turn + 1, (int64_t)ticks() + ahead, memory_order_relaxed);
    atomic_store_explicit(w->turn, mine, memory_order_release);
  } else {
    atomic_store_explicit(w->turn + w->rank * line, mine, memory_order_release);
    while (atomic_load_explicit(w->turn, memory_order_acquire) < mine) wait_a_little(&tries);
  }
  w->random = w->random * 6364136223846793005u + 1442695040888963407u;
  const uint64_t begin =
      (uint64_t)atomic_load_explicit(w->turn + 1, memory_order_relaxed) + (w->random >> 40 & jitter);
  while ((int64_t)(ticks() - begin) < 0) {
  }
}

static inline void clear(struct world* w)
{
  MPI_Barrier(w->comm);
  if (w->rank == 0)
    for (int i = 0; i < batch; ++i) {
      direct_store(w, at_a, i, 0);
      direct_store(w, at_b, i, 0);
      atomic_store_explicit(w->flag + (size_t)i * line, 0, memory_order_relaxed);
    }
  atomic_thread_fence(memory_order_seq_cst);
  MPI_Barrier(w->comm);
}

// How long a test may go on.
struct extent {
  long rounds;
  double seconds;  // looked at after each batch
};

// How many rounds come next, 0 to stop: rank 0 decides for all. Batches grow, for a machine on which they are
// slow.
static inline int next_batch(struct world* w, const struct extent* e, long done, double started_ns)
{
  long n = done < 16 ? 16 : done < batch ? done : batch;
  if (n > e->rounds - done) n = e->rounds - done;
  if (done > 0 && now_ns() - started_ns > e->seconds * 1e9) n = 0;
  int rounds = (int)n;
  MPI_Bcast(&rounds, 1, MPI_INT, 0, w->comm);
  return rounds;
}

// `rules` asks Ranklet for a window whose MPI_Win_sync gives the three rules only.
static inline void open_world(struct world* w, MPI_Comm comm, int rules)
{
  MPI_Comm_rank(comm, &w->rank);
  MPI_Comm_size(comm, &w->size);
  w->comm = comm;
  w->turns = 0;
  w->random = 99 + (uint64_t)w->rank;
  MPI_Group group;
  MPI_Comm_group(comm, &group);
  const int zero = 0;
  if (w->rank == 0)
    MPI_Group_excl(group, 1, &zero, &w->opposite);
  else
    MPI_Group_incl(group, 1, &zero, &w->opposite);
  MPI_Group_free(&group);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "ranklet_win_sync", rules ? "rules" : "full");
  // Each of ranks 0 and 1 owns one location; rank 0 the rest besides.
  const size_t words = (size_t)batch * line;
  const size_t extra = words + (size_t)max_ranks * line + (size_t)batch * max_ranks * max_reads;
  const size_t mine = w->rank == 0 ? words + extra : w->rank == 1 ? words : 0;
  void* base;
  MPI_Win_allocate_shared((MPI_Aint)(mine * sizeof(word)), sizeof(word), info, comm, &base, &w->win);
  MPI_Info_free(&info);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(w->win, 0, &bytes, &unit, &base);
  w->b = base;
  w->flag = w->b + words;
  w->turn = w->flag + words;
  w->seen = w->turn + max_ranks * line;
  MPI_Win_shared_query(w->win, 1, &bytes, &unit, &base);
  w->a = base;
  w->a_at = w->b_at = 0;
  if (w->rank == 0)
    for (int i = 0; i < max_ranks * line; ++i) atomic_store(w->turn + i, 0);
  clear(w);
}

static inline void close_world(struct world* w)
{
  MPI_Group_free(&w->opposite);
  MPI_Win_free(&w->win);
}

#endif
