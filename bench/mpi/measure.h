// What the programs in this folder share: pinning, the clock, medians, verification and the output line.
// Plain C11 and mpi.h only, so that the mpicc of any MPI builds them.
//
// A program prints lines of the form
//     <benchmark> key=value key=value ...
// on standard output, times in nanoseconds. Nothing else goes there. A wrong result ends the job with
// exit code 3 and a line on standard error: a figure is only ever printed for verified data.
#ifndef RANKLET_BENCH_MEASURE_H
#define RANKLET_BENCH_MEASURE_H

#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distance.h"

struct options {
  int repetitions;   // each yields one time; the median is reported
  double target_ns;  // intended length of one repetition
  int quick;         // fewer sizes
  int small;         // only the smallest size
  int around;        // sizes around all powers of two instead
  struct line line;  // between the cores of two ranks; none for more
};

static inline struct options read_options(int argc, char** argv)
{
  struct options o = {21, 5e6, 0, 0, 0, {NULL, 0, 0, MPI_WIN_NULL}};
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0) {
      o.repetitions = 7;
      o.target_ns = 1e6;
      o.quick = 1;
    } else if (strcmp(argv[i], "--small") == 0) {
      o.small = 1;
    } else if (strcmp(argv[i], "--around") == 0) {
      o.around = 1;
    } else if (strcmp(argv[i], "--repetitions") == 0 && i + 1 < argc && atoi(argv[i + 1]) > 0) {
      o.repetitions = atoi(argv[++i]);
    } else {
      fprintf(stderr, "usage: %s [--quick] [--small] [--around] [--repetitions N]\n", argv[0]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  return o;
}

// For --around: the powers of two from `least` to `most` bytes, and one `step` less and more than each.
// Returns how many; there is room for them and the 0 behind them.
enum { most_sizes = 100 };
static inline size_t sizes_around(size_t* sizes, size_t least, size_t most, size_t step)
{
  size_t n = 0;
  for (size_t power = least; power <= most; power *= 2) {
    if (power > least) sizes[n++] = power - step;
    sizes[n++] = power;
    sizes[n++] = power + step;
  }
  sizes[n] = 0;
  return n;
}

static inline _Noreturn void wrong(const char* format, ...)
{
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "rank %d: wrong result: ", rank);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  MPI_Abort(MPI_COMM_WORLD, 3);
  abort();
}

// Puts the calling rank on that CPU; 0 if it may run there.
static inline int pin_to_cpu(int cpu)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  return sched_setaffinity(0, sizeof one, &one);
}

// Puts the calling rank on the index-th core (modulo their number) that it may use and returns that
// core. A rank whose launcher left it one core stays there. Pid 0 means the calling thread to Linux,
// so this is right for ranks that are processes and for ranks that are threads.
static inline int pin_to_core(int index)
{
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
  int wanted = index % CPU_COUNT(&allowed);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || wanted-- > 0) continue;
    pin_to_cpu(core);
    return core;
  }
  return -1;
}

static inline void* allocate(size_t bytes)
{
  void* p = NULL;
  if (posix_memalign(&p, 4096, bytes ? bytes : 1) != 0) {
    fprintf(stderr, "out of memory: %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memset(p, 0, bytes);  // the pages exist before anything is timed
  return p;
}

// A pattern that differs between seeds at every byte: a missing or shifted piece is noticed.
static inline unsigned char pattern(size_t i, unsigned seed)
{
  return (unsigned char)((i * 7u + (i >> 8) * 13u) ^ (seed * 101u + 1u));
}

static inline void fill(unsigned char* buffer, size_t bytes, unsigned seed)
{
  for (size_t i = 0; i < bytes; ++i) buffer[i] = pattern(i, seed);
}

// Checks the bytes [first, last) of a buffer that was filled with this seed.
static inline void verify(const unsigned char* buffer, size_t first, size_t last, unsigned seed,
                          const char* what)
{
  for (size_t i = first; i < last; ++i)
    if (buffer[i] != pattern(i, seed))
      wrong("%s: byte %zu is %d, not %d", what, i, buffer[i], pattern(i, seed));
}

// Stamps let every single message of a timed loop be checked at the cost of a few instructions.
static inline void stamp(unsigned char* buffer, size_t bytes, unsigned number)
{
  memcpy(buffer, &number, sizeof number);
  memcpy(buffer + bytes - sizeof number, &number, sizeof number);
}

static inline void verify_stamp(const unsigned char* buffer, size_t bytes, unsigned number, const char* what)
{
  unsigned first, last;
  memcpy(&first, buffer, sizeof first);
  memcpy(&last, buffer + bytes - sizeof last, sizeof last);
  if (first != number || last != number) wrong("%s: message %u carries %u and %u", what, number, first, last);
}

// What a benchmark times. `run` makes `calls` calls and returns the nanoseconds that they took on this rank;
// prepare and check, which may be null, are called around each repetition, outside of the time.
struct subject {
  double (*run)(void* self, int calls);
  void (*prepare)(void* self, int repetition);
  void (*check)(void* self, int repetition, int calls);
  void* self;
};

// The time of one call, over the repetitions that met one distance of the cores.
struct figure {
  double median_ns, min_ns;
  int calls, repetitions;  // calls in each
  double hop_ns;           // 0: there was no one distance
  int looks;               // whether there was a line to measure it
};

// How many calls fill one repetition, judged by a trial of `calls` calls that took `ns` on this rank; the
// slowest rank's answer on all.
static inline int calls_per_repetition(const struct options* o, double ns, int calls)
{
  double slowest;
  MPI_Allreduce(&ns, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double n = o->target_ns / (slowest / calls);
  return n < 2 ? 2 : n > 200000 ? 200000 : (int)n;
}

// How many calls of the subject fill one repetition. Trials grow until one is half as long: what calls cost
// beside a start, as where ranks share cores, does not show before. Collective over all ranks.
static inline int calls_that_fill(const struct options* o, struct subject s)
{
  s.run(s.self, 2);
  for (int trial = 5;;) {
    const int calls = calls_per_repetition(o, s.run(s.self, trial), trial);
    if (calls <= 2 * trial) return calls;
    trial = calls / 8 < trial ? calls : 8 * trial;
  }
}

// Collective over all ranks.
static inline struct figure measure(struct options* o, struct subject s)
{
  double* per_call = malloc(sizeof *per_call * (size_t)o->repetitions);
  double* hops = malloc(sizeof *hops * (size_t)(o->repetitions + 1));
  struct figure f = {.calls = calls_that_fill(o, s), .looks = o->line.turn != NULL};
  hops[0] = hop_ns(&o->line);
  for (int r = 0; r < o->repetitions; ++r) {
    if (s.prepare) s.prepare(s.self, r);
    MPI_Barrier(MPI_COMM_WORLD);
    per_call[r] = s.run(s.self, f.calls) / f.calls;
    hops[r + 1] = hop_ns(&o->line);
    if (s.check) s.check(s.self, r, f.calls);
  }
  f.repetitions = keep_one_distance(per_call, hops, o->repetitions, &f.hop_ns);
  f.median_ns = median(per_call, f.repetitions);
  f.min_ns = per_call[0];
  free(per_call);
  free(hops);
  return f;
}

// Ends a result line with the figure, of one of the `parts` of a call.
static inline void print_figure(struct figure f, double parts)
{
  printf(" median_ns=%.1f min_ns=%.1f calls=%d repetitions=%d", f.median_ns / parts, f.min_ns / parts,
         f.calls, f.repetitions);
  if (f.looks) printf(" hop_ns=%.1f", f.hop_ns);
  printf("\n");
  fflush(stdout);
}

// Has a line between the cores to which two ranks have been pinned, in place of another one. Collective.
static inline void lay_line(struct options* o, int rank, int core)
{
  if (o->line.turn) MPI_Win_free(&o->line.window);
  o->line = share_line(rank, core);
}

// Puts each of two ranks on a core of its own, with a line between them.
static inline void part_two_ranks(struct options* o, int rank)
{
  lay_line(o, rank, pin_to_core(rank));
}

// For benchmarks of two ranks: starts MPI, parts the ranks and returns the rank.
static inline int start_two_ranks(int argc, char** argv, struct options* o)
{
  int rank, size;
  MPI_Init(&argc, &argv);
  *o = read_options(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "%s: start me on 2 ranks\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  part_two_ranks(o, rank);
  return rank;
}

// Ends MPI.
static inline void end_mpi(struct options* o)
{
  if (o->line.turn) MPI_Win_free(&o->line.window);
  MPI_Finalize();
}

#endif
