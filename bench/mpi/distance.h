// How far the cores of two ranks are from each other: the time that a cache line takes from one to the other.
// Some hosts move a machine's virtual cores every few seconds, between the cores of one cache and far ones,
// and a figure is of what it met. So the line is measured around each repetition, and a figure is of those
// that met the same distance.
#ifndef RANKLET_BENCH_DISTANCE_H
#define RANKLET_BENCH_DISTANCE_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static inline double now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int ascending(const void* a, const void* b)
{
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Sorts the values.
static inline double median(double* values, int n)
{
  qsort(values, (size_t)n, sizeof *values, ascending);
  return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

// A line that ranks 0 and 1 of two hand to and fro. Without one (`turn` is null) nothing is measured.
struct line {
  atomic_uint* turn;
  unsigned turns;  // that were taken
  int rank;
  MPI_Win window;
};

// Collective over both ranks, each pinned to this core: there is a line if the cores differ.
static inline struct line share_line(int rank, int core)
{
  struct line l = {NULL, 0, rank, MPI_WIN_NULL};
  int other;
  MPI_Sendrecv(&core, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (core == other || core < 0 || other < 0) return l;
  void* memory;
  MPI_Aint bytes;
  int unit;
  MPI_Win_allocate_shared(rank == 0 ? 4096 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &l.window);
  MPI_Win_shared_query(l.window, 0, &bytes, &unit, &memory);
  l.turn = memory;
  if (rank == 0) atomic_init(l.turn, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  return l;
}

// For long it looks into MPI, too: the other rank may need that to get here.
static inline void await_turn(const struct line* l, unsigned turn)
{
  for (unsigned looks = 1; atomic_load_explicit(l->turn, memory_order_acquire) != turn; ++looks) {
    int found;
    if (looks % 16384 == 0) MPI_Iprobe(1 - l->rank, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

// Nanoseconds of one way, 0 without a line. Some twenty microseconds in short batches, of which the fastest
// counts: who lost its core in one of them is not far away. Collective over both ranks.
static inline double hop_ns(struct line* l)
{
  enum { batches = 8, rounds = 16 };
  if (!l->turn) return 0;
  unsigned turn = l->turns;
  double begin = 0, least = 0;
  for (int i = 0; i <= batches * rounds; ++i) {
    // Both are there when the first round is over.
    if (i % rounds == 1) begin = now_ns();
    if (l->rank != 0) await_turn(l, turn + 1);
    atomic_store_explicit(l->turn, turn + 1 + (l->rank != 0), memory_order_release);
    if (l->rank == 0) await_turn(l, turn + 2);
    turn += 2;
    if (i == 0 || i % rounds != 0) continue;
    const double hop = (now_ns() - begin) / (2 * rounds);
    if (least == 0 || hop < least) least = hop;
  }
  l->turns = turn;
  return least;
}

static inline int as_far(double hop, double other)
{
  return hop < 2 * other && other < 2 * hop;
}

// Moves to the front those of n times that met one distance, the one that most met, and says how many there
// are. Between hops[i] and hops[i + 1] was times[i]; one for which these differ does not count. *hop becomes
// the median distance of the chosen ones. If they are fewer than half all count, and *hop is 0.
static inline int keep_one_distance(double* times, const double* hops, int n, double* hop)
{
  double* met = malloc(sizeof *met * (size_t)n);
  double* chosen = malloc(sizeof *chosen * (size_t)n);
  double least = 0;
  int most = 0, kept = 0;
  for (int i = 0; i < n; ++i) met[i] = as_far(hops[i], hops[i + 1]) ? 0.5 * (hops[i] + hops[i + 1]) : 0;
  for (int i = 0; i < n; ++i) {
    int alike = 0;
    for (int k = 0; k < n; ++k) alike += met[i] > 0 && met[k] >= met[i] && met[k] < 2 * met[i];
    if (alike > most) most = alike, least = met[i];
  }
  const int is_one = 2 * most >= n;
  for (int i = 0; i < n && is_one; ++i)
    if (met[i] >= least && met[i] < 2 * least) chosen[kept] = met[i], times[kept++] = times[i];
  *hop = kept ? median(chosen, kept) : 0;
  free(met);
  free(chosen);
  return kept ? kept : n;
}

#endif
