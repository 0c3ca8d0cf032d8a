// What memory order costs: instructions, one-sided calls, and the rules of a shared window through each
// synchronisation of MPI. Two ranks on two CPUs.
//
//     mpiexec -n 2 fences [--quick] [--repetitions N] [--cores a,b] [--only WORD]
//
// Prints lines
//     fences group=call name=win_sync calls=1000 samples=7.10,7.08,... median_ns=7.09
// with the nanoseconds of one call in each repetition. bench/fences.py makes a report of them.

#include "fences_calls.h"
#include "fences_handover.h"
#include "fences_instructions.h"
#include "fences_world.h"

// Takes --cores and --only out of the arguments, the rest is measure.h's.
static int take_own_options(int argc, char** argv, int* cores, const char** only)
{
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--cores") == 0 && i + 1 < argc &&
        sscanf(argv[i + 1], "%d,%d", &cores[0], &cores[1]) == 2)
      ++i;
    else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      *only = argv[++i];
    else
      argv[kept++] = argv[i];
  }
  return kept;
}

static void open_window(struct world* w)
{
  void* base;
  MPI_Win_allocate_shared(words * sizeof(word), sizeof(word), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w->win);
  MPI_Aint bytes;
  int unit;
  memset(base, 0, words * sizeof(word));
  w->mine = base;
  MPI_Win_shared_query(w->win, 1 - w->rank, &bytes, &unit, &base);
  w->theirs = base;
  w->large = allocate(large_bytes);
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  const int other = 1 - w->rank;
  MPI_Group_incl(group, 1, &other, &w->neighbour);
  MPI_Group_free(&group);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv)
{
  struct world w = {0};
  int cores[2] = {-1, -1};
  argc = take_own_options(argc, argv, cores, &w.only);
  w.rank = start_two_ranks(argc, argv, &w.options);
  if (cores[w.rank] >= 0) {
    if (pin_to_cpu(cores[w.rank]) != 0) wrong("cannot run on CPU %d", cores[w.rank]);
    lay_line(&w.options, w.rank, cores[w.rank]);
  }
  if (w.options.target_ns > 1e6) w.options.target_ns = 1e6;
  if (w.options.quick) w.options.target_ns = 2e5;
  open_window(&w);
  run_instructions(&w);
  run_calls(&w);
  run_handovers(&w);
  MPI_Group_free(&w.neighbour);
  MPI_Win_free(&w.win);
  free(w.large);
  end_mpi(&w.options);
  return 0;
}
