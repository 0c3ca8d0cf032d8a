// How often each outcome came.
#ifndef RANKLET_BENCH_LITMUS_TALLY_H
#define RANKLET_BENCH_LITMUS_TALLY_H

#include "litmus_world.h"

enum { outcomes = 256 };  // four values from 0 to 3
struct tally {
  long count[outcomes];
  int values;
};

static inline void note(struct tally* t, const int64_t* values, int n)
{
  int key = 0;
  for (int k = 0; k < n; ++k) {
    if (values[k] < 0 || values[k] > 3) wrong("a location holds %ld", (long)values[k]);
    key = key * 4 + (int)values[k];
  }
  ++t->count[key];
  t->values = n;
}

static inline void print_tally(const struct world* w, const char* shape, const char* sync, long rounds,
                               const struct tally* t)
{
  printf("litmus shape=%s sync=%s ranks=%d rounds=%ld outcomes=", shape, sync, w->size, rounds);
  const char* between = "";
  for (int key = 0; key < outcomes; ++key) {
    if (t->count[key] == 0) continue;
    printf("%s", between);
    for (int k = t->values - 1; k >= 0; --k) printf("%d%s", key >> (2 * k) & 3, k ? "," : "");
    printf(":%ld", t->count[key]);
    between = ";";
  }
  printf("\n");
  fflush(stdout);
}

#endif
