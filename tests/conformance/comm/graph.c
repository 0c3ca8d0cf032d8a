/* Graphs (MPI 5.0 §8.5.4) and neighbourhood collectives with counts of their own (§8.6): a ring, in which
   each process hears from both sides. */
#include "../check.h"

int main(int argc, char** argv)
{
  enum { most = 64 };
  int rank, size, index[most], edges[2 * most], i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > most) MPI_Abort(MPI_COMM_WORLD, 2);
  for (i = 0; i < size; ++i) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + size - 1) % size;
    edges[2 * i + 1] = (i + 1) % size;
  }
  MPI_Comm ring;
  CALL(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring));
  int nodes = 0, arcs = 0, degree = 0, found[2 * most], sides[2], kind;
  CALL(MPI_Topo_test(ring, &kind));
  CHECK(kind == MPI_GRAPH);
  CALL(MPI_Graphdims_get(ring, &nodes, &arcs));
  CHECK(nodes == size && arcs == 2 * size);
  int found_index[most];
  CALL(MPI_Graph_get(ring, nodes, arcs, found_index, found));
  for (i = 0; i < nodes; ++i) CHECK(found_index[i] == index[i]);
  for (i = 0; i < arcs; ++i) CHECK(found[i] == edges[i]);
  CALL(MPI_Graph_neighbors_count(ring, rank, &degree));
  CHECK(degree == 2);
  CALL(MPI_Graph_neighbors(ring, rank, 2, sides));
  CHECK(sides[0] == edges[2 * rank] && sides[1] == edges[2 * rank + 1]);

  /* Process r gives r % 3 + 1 numbers to each side. Those from the right come first in the buffer. */
  int out[3] = {100 * rank, 100 * rank + 1, 100 * rank + 2}, in[6];
  const int mine = rank % 3 + 1, left = sides[0] % 3 + 1, right = sides[1] % 3 + 1;
  const int counts[2] = {left, right}, places[2] = {right, 0};
  const MPI_Count counts_c[2] = {left, right};
  const MPI_Aint places_c[2] = {right, 0};
#define FORGET() \
  for (i = 0; i < 6; ++i) in[i] = -1
#define RIGHT()                                                   \
  for (i = 0; i < right; ++i) CHECK(in[i] == 100 * sides[1] + i); \
  for (i = 0; i < left; ++i) CHECK(in[right + i] == 100 * sides[0] + i)
  FORGET();
  CALL(MPI_Neighbor_allgatherv(out, mine, MPI_INT, in, counts, places, MPI_INT, ring));
  RIGHT();
  FORGET();
  const int to_both[2] = {mine, mine}, from_start[2] = {0, 0};
  CALL(MPI_Neighbor_alltoallv(out, to_both, from_start, MPI_INT, in, counts, places, MPI_INT, ring));
  if (size > 2) { /* else both sides are the same process */
    RIGHT();
  }
  FORGET();
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  const MPI_Aint out_bytes[2] = {0, 0}, in_bytes[2] = {right * (MPI_Aint)sizeof(int), 0};
  CALL(MPI_Neighbor_alltoallw(out, to_both, out_bytes, types, in, counts, in_bytes, types, ring));
  if (size > 2) {
    RIGHT();
  }
#if MPI_VERSION >= 4
  const MPI_Count to_both_c[2] = {mine, mine};
  FORGET();
  CALL(MPI_Neighbor_allgatherv_c(out, mine, MPI_INT, in, counts_c, places_c, MPI_INT, ring));
  RIGHT();
  FORGET();
  CALL(MPI_Neighbor_alltoallv_c(out, to_both_c, out_bytes, MPI_INT, in, counts_c, places_c, MPI_INT, ring));
  if (size > 2) {
    RIGHT();
  }
  FORGET();
  CALL(MPI_Neighbor_alltoallw_c(out, to_both_c, out_bytes, types, in, counts_c, in_bytes, types, ring));
  if (size > 2) {
    RIGHT();
  }
  int one[2] = {-1, -1}, pair[2] = {10 * rank, 10 * rank + 1};
  CALL(MPI_Neighbor_allgather_c(&rank, 1, MPI_INT, one, 1, MPI_INT, ring));
  CHECK(one[0] == sides[0] && one[1] == sides[1]);
  CALL(MPI_Neighbor_alltoall_c(pair, 1, MPI_INT, one, 1, MPI_INT, ring));
  if (size > 2) CHECK(one[0] == 10 * sides[0] + 1 && one[1] == 10 * sides[1]);
#endif
  (void)counts_c;
  (void)places_c;
  MPI_Comm_free(&ring);
  return finish();
}
