/* Blocking collectives whose counts are MPI_Count (MPI 5.0 chapter 6), and exchanges with counts and types
   of their own for each process; on any number of ranks.
   openmpi: version 4.1 has no functions with large counts */
#include <stdlib.h>

#include "../check.h"

static int rank, size;
static MPI_Comm world;

static void add(void* in, void* inout, MPI_Count* length, MPI_Datatype* type)
{
  (void)type;
  for (MPI_Count i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

/* Two numbers for or from each process. */
static int *out, *in;
static void fill(void)
{
  for (int i = 0; i < size; ++i) {
    out[2 * i] = 1000 * rank + 2 * i;
    out[2 * i + 1] = 1000 * rank + 2 * i + 1;
    in[2 * i] = in[2 * i + 1] = -1;
  }
}
/* in[2i], in[2i+1] are what process i gave to `to`. */
static void check_from_all(int to)
{
  for (int i = 0; i < 2 * size; ++i) CHECK(in[i] == 1000 * (i / 2) + 2 * to + i % 2);
}
static void check_from(const int* pair, int root)
{
  CHECK(pair[0] == 1000 * root + 2 * rank && pair[1] == 1000 * root + 2 * rank + 1);
}

static void rooted(const MPI_Count* counts, const MPI_Aint* places)
{
  const int root = size - 1;
  int pair[2] = {rank, rank + 1};
  CALL(MPI_Bcast_c(pair, 2, MPI_INT, root, world));
  CHECK(pair[0] == root && pair[1] == root + 1);
  fill();
  CALL(MPI_Gather_c(out, 2, MPI_INT, in, 2, MPI_INT, root, world));
  if (rank == root) check_from_all(0);
  fill();
  CALL(MPI_Gatherv_c(out, 2, MPI_INT, in, counts, places, MPI_INT, root, world));
  if (rank == root) check_from_all(0);
  CALL(MPI_Scatter_c(out, 2, MPI_INT, pair, 2, MPI_INT, root, world));
  check_from(pair, root);
  pair[0] = pair[1] = -1;
  CALL(MPI_Scatterv_c(out, counts, places, MPI_INT, pair, 2, MPI_INT, root, world));
  check_from(pair, root);
}

static void everybody(const MPI_Count* counts, const MPI_Aint* places, const MPI_Aint* bytes,
                      const MPI_Datatype* types)
{
  fill();
  CALL(MPI_Allgather_c(out, 2, MPI_INT, in, 2, MPI_INT, world));
  check_from_all(0);
  fill();
  CALL(MPI_Allgatherv_c(out, 2, MPI_INT, in, counts, places, MPI_INT, world));
  check_from_all(0);
  fill();
  CALL(MPI_Alltoall_c(out, 2, MPI_INT, in, 2, MPI_INT, world));
  check_from_all(rank);
  fill();
  CALL(MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, world));
  check_from_all(rank);
  fill();
  CALL(MPI_Alltoallw_c(out, counts, bytes, types, in, counts, bytes, types, world));
  check_from_all(rank);
}

static void moves(void)
{
  const size_t n = (size_t)size;
  MPI_Count* counts = malloc(n * sizeof *counts);
  MPI_Aint *places = malloc(n * sizeof *places), *bytes = malloc(n * sizeof *bytes);
  MPI_Datatype* types = malloc(n * sizeof *types);
  int *counts_int = malloc(n * sizeof(int)), *places_int = malloc(n * sizeof(int)),
      *bytes_int = malloc(n * sizeof(int));
  for (int i = 0; i < size; ++i) {
    counts[i] = counts_int[i] = 2;
    places[i] = places_int[i] = 2 * i;
    bytes[i] = bytes_int[i] = 2 * i * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  rooted(counts, places);
  everybody(counts, places, bytes, types);
  fill();
  CALL(MPI_Alltoallv(out, counts_int, places_int, MPI_INT, in, counts_int, places_int, MPI_INT, world));
  check_from_all(rank);
  fill();
  CALL(MPI_Alltoallw(out, counts_int, bytes_int, types, in, counts_int, bytes_int, types, world));
  check_from_all(rank);
  free(counts);
  free(places);
  free(bytes);
  free(types);
  free(counts_int);
  free(places_int);
  free(bytes_int);
}

static void reductions(void)
{
  MPI_Op op;
  MPI_Count* counts = malloc((size_t)size * sizeof *counts);
  int mine[2] = {rank, 1}, sum[2] = {-1, -1};
  const int all = size * (size - 1) / 2, before = rank * (rank - 1) / 2;
  for (int i = 0; i < size; ++i) counts[i] = 2;
  CALL(MPI_Op_create_c(add, 1, &op));
  CALL(MPI_Reduce_c(mine, sum, 2, MPI_INT, op, 0, world));
  if (rank == 0) CHECK(sum[0] == all && sum[1] == size);
  CALL(MPI_Allreduce_c(mine, sum, 2, MPI_INT, op, world));
  CHECK(sum[0] == all && sum[1] == size);
  CALL(MPI_Scan_c(mine, sum, 2, MPI_INT, op, world));
  CHECK(sum[0] == before + rank && sum[1] == rank + 1);
  CALL(MPI_Exscan_c(mine, sum, 2, MPI_INT, op, world));
  if (rank > 0) CHECK(sum[0] == before && sum[1] == rank);
  sum[0] = 5;
  sum[1] = 6;
  CALL(MPI_Reduce_local_c(mine, sum, 2, MPI_INT, op));
  CHECK(sum[0] == 5 + rank && sum[1] == 7);
  fill();
  CALL(MPI_Reduce_scatter_block_c(out, sum, 2, MPI_INT, op, world));
  CHECK(sum[0] == 1000 * all + size * 2 * rank && sum[1] == 1000 * all + size * (2 * rank + 1));
  sum[0] = sum[1] = -1;
  CALL(MPI_Reduce_scatter_c(out, sum, counts, MPI_INT, op, world));
  CHECK(sum[0] == 1000 * all + size * 2 * rank && sum[1] == 1000 * all + size * (2 * rank + 1));
  MPI_Op_free(&op);
  free(counts);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  out = malloc(2 * (size_t)size * sizeof *out);
  in = malloc(2 * (size_t)size * sizeof *in);
  moves();
  reductions();
  free(out);
  free(in);
  return finish();
}
