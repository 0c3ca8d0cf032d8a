// Fences and atomic orders of C11, the processor's own fence, and membarrier(2).
//
// Each is timed between a store and a load, as it is used: a fence costs what the stores before it cost to
// complete. Alone: rank 0 on lines that nobody else touches. Shared: both ranks at once, each stores its own
// line and loads the other's, so that every store must fetch the line back.
#ifndef RANKLET_BENCH_FENCES_INSTRUCTIONS_H
#define RANKLET_BENCH_FENCES_INSTRUCTIONS_H

#include <sys/syscall.h>
#include <unistd.h>

#include "fences_world.h"

static inline void fence_none(void)
{
  atomic_signal_fence(memory_order_seq_cst);
}
static inline void fence_acquire(void)
{
  atomic_thread_fence(memory_order_acquire);
}
static inline void fence_release(void)
{
  atomic_thread_fence(memory_order_release);
}
static inline void fence_acq_rel(void)
{
  atomic_thread_fence(memory_order_acq_rel);
}
static inline void fence_seq_cst(void)
{
  atomic_thread_fence(memory_order_seq_cst);
}
static inline void fence_instruction(void)
{
#if defined(__x86_64__)
  __builtin_ia32_mfence();
#else
  __sync_synchronize();
#endif
}
static inline void fence_locked(void)
{
  _Atomic int32_t here = 0;  // on the stack: a locked instruction on a line that is there
  atomic_fetch_add_explicit(&here, 1, memory_order_seq_cst);
}
enum { membarrier_expedited = 1 << 3, membarrier_register = 1 << 4 };  // of <linux/membarrier.h>
static inline void fence_membarrier(void)
{
  syscall(SYS_membarrier, membarrier_expedited, 0, 0);
}

// The loops, made by the compiler for each fence and each pair of orders.
static inline __attribute__((always_inline)) double fenced(struct world* w, int calls, int shared,
                                                           void (*fence)(void))
{
  word* own = w->mine + data;
  word* other = shared ? w->theirs + data : w->mine + counter;
  int64_t sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (!shared && w->rank != 0) return 0;
  const double start = now_ns();
  for (int i = 0; i < calls; ++i) {
    atomic_store_explicit(own, i, memory_order_relaxed);
    fence();
    sum += atomic_load_explicit(other, memory_order_relaxed);
  }
  const double time = now_ns() - start;
  if (sum < 0) wrong("a sum of positive numbers is %ld", (long)sum);
  return time;
}
static inline __attribute__((always_inline)) double ordered(struct world* w, int calls, int update,
                                                            memory_order store, memory_order load)
{
  word *own = w->mine + data, *other = w->mine + counter;
  int64_t sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (w->rank != 0) return 0;
  const double start = now_ns();
  for (int i = 0; i < calls; ++i) {
    if (update)
      atomic_fetch_add_explicit(own, 1, store);
    else
      atomic_store_explicit(own, i, store);
    sum += atomic_load_explicit(other, load);
  }
  const double time = now_ns() - start;
  if (sum < 0) wrong("a sum of positive numbers is %ld", (long)sum);
  return time;
}

#define FENCED(name)                                      \
  static double alone_##name(struct world* w, int calls)  \
  {                                                       \
    return fenced(w, calls, 0, fence_##name);             \
  }                                                       \
  static double shared_##name(struct world* w, int calls) \
  {                                                       \
    return fenced(w, calls, 1, fence_##name);             \
  }
FENCED(none)
FENCED(acquire)
FENCED(release)
FENCED(acq_rel)
FENCED(seq_cst)
FENCED(instruction)
FENCED(locked)
FENCED(membarrier)
#undef FENCED

#define ORDERED(name, update, store, load)         \
  static double name(struct world* w, int calls)   \
  {                                                \
    return ordered(w, calls, update, store, load); \
  }
ORDERED(store_release, 0, memory_order_release, memory_order_relaxed)
ORDERED(load_acquire, 0, memory_order_relaxed, memory_order_acquire)
ORDERED(store_seq_cst, 0, memory_order_seq_cst, memory_order_relaxed)
ORDERED(load_seq_cst, 0, memory_order_relaxed, memory_order_seq_cst)
ORDERED(update_relaxed, 1, memory_order_relaxed, memory_order_relaxed)
ORDERED(update_acq_rel, 1, memory_order_acq_rel, memory_order_relaxed)
ORDERED(update_seq_cst, 1, memory_order_seq_cst, memory_order_relaxed)
#undef ORDERED

static inline void run_instructions(struct world* w)
{
  static const struct {
    const char* name;
    loop *alone, *shared;
  } fences[] = {
      {"none", alone_none, shared_none},
      {"fence_acquire", alone_acquire, shared_acquire},
      {"fence_release", alone_release, shared_release},
      {"fence_acq_rel", alone_acq_rel, shared_acq_rel},
      {"fence_seq_cst", alone_seq_cst, shared_seq_cst},
      {"full_fence_instruction", alone_instruction, shared_instruction},
      {"locked_instruction", alone_locked, shared_locked},
      {"membarrier", alone_membarrier, shared_membarrier},
      {"store_release", store_release, NULL},
      {"load_acquire", load_acquire, NULL},
      {"store_seq_cst", store_seq_cst, NULL},
      {"load_seq_cst", load_seq_cst, NULL},
      {"update_relaxed", update_relaxed, NULL},
      {"update_acq_rel", update_acq_rel, NULL},
      {"update_seq_cst", update_seq_cst, NULL},
  };
  const int barriers = syscall(SYS_membarrier, membarrier_register, 0, 0) == 0;
  for (size_t k = 0; k < sizeof fences / sizeof *fences; ++k) {
    if (strcmp(fences[k].name, "membarrier") == 0 && !barriers) continue;
    sample(w, "alone", fences[k].name, fences[k].alone, 1);
    if (fences[k].shared) sample(w, "shared", fences[k].name, fences[k].shared, 1);
  }
}

#endif
