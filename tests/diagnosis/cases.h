/* What the programs of the suite share: any MPI, no other tool.
 *
 *     PROGRAM --list           the cases: name, right or wrong, section of MPI 5.0
 *     PROGRAM all              runs all right ones, one after the other
 *     PROGRAM CASE [RANK]      runs one on 2 ranks; that rank makes its access first, and the other one
 * learns of it in a way that orders nothing: by a directory of the name in CASE_TURN
 *
 * A line marked with "X" takes part in what is wrong. */
#ifndef CASES_H
#define CASES_H

#include <mpi.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct test_case {
  const char* name;
  const char* verdict;
  const char* section;
  void (*body)(void);
};

static int rank;
static int size;
static int other;      /* rank */
static MPI_Win win;    /* of what follows */
static int* mem;       /* own part, 64 ints */
static int* word;      /* shared windows: the first element of rank 0's part */
static int first = -1; /* who goes first, if anybody */
static volatile int sink;

/* The access of one rank comes before that of the other: ThreadSanitizer can miss two accesses that are made
 * at the very same time. */
static inline void tell(void)
{
  mkdir(getenv("CASE_TURN"), 0700);
}

static inline void await(void)
{
  struct stat status;
  while (stat(getenv("CASE_TURN"), &status) != 0) sched_yield();
}

/* The same around the access of each rank, where neither waits for the other anyway. */
static inline void turn(void)
{
  if (first >= 0 && rank != first) await();
}

static inline void done(void)
{
  if (rank == first) tell();
}

static inline void load(const int* place)
{
  sink = *place;
}

static inline void barrier(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
}

static inline void send_word(void)
{
  int token = 1;
  MPI_Send(&token, 1, MPI_INT, other, 9, MPI_COMM_WORLD);
}

static inline void receive_word(void)
{
  int token;
  MPI_Recv(&token, 1, MPI_INT, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static inline void send_to(int peer)
{
  MPI_Send(NULL, 0, MPI_INT, peer, 5, MPI_COMM_WORLD);
}

static inline void receive_from(int peer)
{
  MPI_Recv(NULL, 0, MPI_INT, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static inline void open_window(void)
{
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
  memset(mem, 0, 64 * sizeof(int));
  barrier();
}

static inline void open_shared(void)
{
  MPI_Aint size;
  int unit;
  MPI_Win_allocate_shared(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
  memset(mem, 0, 64 * sizeof(int));
  MPI_Win_shared_query(win, 0, &size, &unit, &word);
  barrier();
}

static inline MPI_Group group_of_other(void)
{
  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, &one);
  MPI_Group_free(&all);
  return one;
}

static inline int run_cases(int argc, char** argv, const struct test_case* cases, int count)
{
  int i;
  if (argc > 1 && strcmp(argv[1], "--list") == 0) {
    for (i = 0; i < count; ++i) printf("%s %s %s\n", cases[i].name, cases[i].verdict, cases[i].section);
    return 0;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  other = 1 - rank;
  if (argc > 2) first = atoi(argv[2]);
  for (i = 0; i < count; ++i)
    if (argc > 1 && (strcmp(argv[1], cases[i].name) == 0 ||
                     (strcmp(argv[1], "all") == 0 && strcmp(cases[i].verdict, "right") == 0)))
      cases[i].body();
  MPI_Finalize();
  return 0;
}

#endif
