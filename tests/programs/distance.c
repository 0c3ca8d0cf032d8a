/* What bench/mpi/distance.h makes of repetitions that met different distances, and that it measures one. */
#include "distance.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int good, const char* what)
{
  if (good) return;
  ++failures;
  fprintf(stderr, "distance: %s\n", what);
}

/* `hops` has one more than there are times. */
static void kept(const char* what, int n, const double* hops, const char* expected, double expected_hop)
{
  double times[16], hop = -1;
  char found[17] = "";
  for (int i = 0; i < n; ++i) times[i] = i;
  const int count = keep_one_distance(times, hops, n, &hop);
  for (int i = 0; i < count; ++i) found[i] = (char)('0' + (int)times[i]);
  expect(strcmp(found, expected) == 0, what);
  expect(hop == expected_hop, what);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  kept("all are alike", 4, (double[]){30, 32, 34, 36, 38}, "0123", 34);
  kept("the mood of most counts", 5, (double[]){200, 30, 30, 30, 30, 200}, "123", 30);
  kept("far ones, when they are more", 5, (double[]){200, 200, 200, 200, 40, 40}, "012", 200);
  kept("nothing was measured", 3, (double[]){0, 0, 0, 0}, "012", 0);
  kept("moved in each", 2, (double[]){30, 200, 30}, "01", 0);
  kept("fewer than half are no figure", 5, (double[]){30, 30, 200, 30, 200, 30}, "01234", 0);

  struct line line = share_line(rank, rank);
  expect(line.turn != NULL, "two cores have a line");
  for (int i = 0; i < 3; ++i) {
    const double hop = hop_ns(&line);
    expect(hop > 1 && hop < 1e8, "a hop takes some time");
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == 1, "between calls");
  }
  MPI_Win_free(&line.window);

  line = share_line(rank, 0);
  expect(line.turn == NULL && hop_ns(&line) == 0, "one core has none");
  if (!failures) printf("%d is well\n", rank);
  MPI_Finalize();
  return failures != 0;
}
