/* What the files that have only right cases share. Their cases run on any number of ranks from 3 on, one
 * after the other in one process (PROGRAM all) or alone, and each checks its results. */
#ifndef RIGHT_H
#define RIGHT_H

#include "cases.h"

/* Of what a case has read: its line, and the end of the job if it is wrong. */
#define expect(holds) expect_at((holds), #holds, __func__, __LINE__)

static inline void expect_at(int holds, const char* what, const char* function, int line)
{
  if (holds) return;
  fprintf(stderr, "rank %d: %s in %s() at line %d is wrong\n", rank, what, function, line);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline int next(void)
{
  return (rank + 1) % size;
}

static inline int previous(void)
{
  return (rank + size - 1) % size;
}

static inline int last(void)
{
  return size - 1;
}

static inline void put(const int* value, int target, int place)
{
  MPI_Put(value, 1, MPI_INT, target, place, 1, MPI_INT, win);
}

static inline void get(int* value, int target, int place)
{
  MPI_Get(value, 1, MPI_INT, target, place, 1, MPI_INT, win);
}

static inline void add(const int* value, int target, int place)
{
  MPI_Accumulate(value, 1, MPI_INT, target, place, 1, MPI_INT, MPI_SUM, win);
}

static inline MPI_Group group_of(int count, const int* members)
{
  MPI_Group all, some;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, count, members, &some);
  MPI_Group_free(&all);
  return some;
}

static inline MPI_Group group_of_one(int member)
{
  return group_of(1, &member);
}

static inline MPI_Group group_of_others(void)
{
  MPI_Group all, others;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, 1, &rank, &others);
  MPI_Group_free(&all);
  return others;
}

#endif
