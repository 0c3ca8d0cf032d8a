/* Programs for the loader's tests check themselves: status 0 means that all held. The last argument is the rank. */
#ifndef CHECK_H
#define CHECK_H
#include <stdio.h>
#include <stdlib.h>

static int __attribute__((unused)) check_failures;

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);     \
      ++check_failures;                                                             \
    }                                                                               \
  } while (0)

static inline int rank_of(int argc, char** argv)
{
  return atoi(argv[argc - 1]);
}
#endif
