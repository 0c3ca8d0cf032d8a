// What the parts of bench/mpi/fences.c share: a window of two ranks, and how a subject is sampled and
// printed.
#ifndef RANKLET_BENCH_FENCES_WORLD_H
#define RANKLET_BENCH_FENCES_WORLD_H

#include <stdatomic.h>
#include <stdint.h>

#include "measure.h"

typedef _Atomic int64_t word;

enum {
  large_bytes = 1 << 20,
  line = 16,
  words = 8 * line + large_bytes / 8
};  // 128 bytes: a line and its neighbour

struct world {
  int rank;
  struct options options;
  const char* only;
  MPI_Win win;
  MPI_Group neighbour;
  word *mine, *theirs;   // the ranks' memory in the window; the slots below, then a large buffer
  unsigned char* large;  // a private one
  int64_t turn;          // how many turns the ranks have taken
};
enum slot { data = 0, flag = line, counter = 2 * line, large_at = 8 * line };

static inline void relax(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Lets MPI make progress and the peer have the core: some MPIs' locks wait for their target.
static inline void make_progress(void)
{
  int found;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  sched_yield();
}

// Polls `patience` times before it does.
static inline void await(word* at, int64_t value, memory_order order, unsigned patience)
{
  for (unsigned tries = 0; atomic_load_explicit(at, order) < value; ++tries) {
    relax();
    if (tries >= patience) make_progress();
  }
}

// A timed loop of `calls` calls on both ranks; rank 0's time counts.
typedef double loop(struct world* w, int calls);

struct timed {
  struct world* world;
  loop* run;
};

// Nobody begins a run while the other one still looks at the results of the last.
static inline double run_timed(void* self, int calls)
{
  const struct timed* t = self;
  MPI_Barrier(MPI_COMM_WORLD);
  return t->run(t->world, calls);
}

// One line for each subject, with the time of a call in each repetition that met the distance of most.
static inline void sample(struct world* w, const char* group, const char* name, loop* run, double scale)
{
  if (w->only && strcmp(w->only, group) != 0 && strcmp(w->only, name) != 0) return;
  const int n = w->options.repetitions;
  double* times = malloc(sizeof *times * (size_t)n);
  double* hops = malloc(sizeof *hops * (size_t)(n + 1));
  struct timed t = {w, run};
  const int calls = calls_that_fill(&w->options, (struct subject){run_timed, NULL, NULL, &t});
  hops[0] = hop_ns(&w->options.line);
  for (int r = 0; r < n; ++r) {
    times[r] = run_timed(&t, calls) * scale / calls;
    hops[r + 1] = hop_ns(&w->options.line);
  }
  double hop;
  const int kept = keep_one_distance(times, hops, n, &hop);
  if (w->rank == 0) {
    printf("fences group=%s name=%s calls=%d samples=", group, name, calls);
    for (int r = 0; r < kept; ++r) printf("%s%.2f", r ? "," : "", times[r]);
    printf(" median_ns=%.2f", median(times, kept));
    if (w->options.line.turn) printf(" hop_ns=%.1f", hop);
    printf("\n");
    fflush(stdout);
  }
  free(times);
  free(hops);
}

#endif
