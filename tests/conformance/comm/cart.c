/* MPI 5.0 chapter 8: grids, graphs and their neighbourhood collectives; on any number of ranks. */
#include "../check.h"

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int rank, size, kind;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], got_dims[2], got_periods[2];
  MPI_Dims_create(size, 2, dims);
  CHECK(dims[0] * dims[1] == size && dims[0] >= dims[1]);
#ifndef OPEN_MPI /* its version 4.1 divides 432 into 12 x 6 x 6 */
  int many[3] = {0, 0, 0};
  MPI_Dims_create(432, 3, many);
  CHECK(many[0] == 9 && many[1] == 8 && many[2] == 6);
#endif
  int six[3] = {0, 3, 0};
  MPI_Dims_create(6, 3, six);
  CHECK(six[0] == 2 && six[1] == 3 && six[2] == 1);

  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Topo_test(grid, &kind);
  CHECK(kind == MPI_CART);
  MPI_Topo_test(MPI_COMM_WORLD, &kind);
  CHECK(kind == MPI_UNDEFINED);
  MPI_Cart_get(grid, 2, got_dims, got_periods, coords);
  CHECK(got_dims[0] == dims[0] && got_dims[1] == dims[1]);
  CHECK(got_periods[0] && !got_periods[1]);
  CHECK(coords[0] == rank / dims[1] && coords[1] == rank % dims[1]);
  int other;
  MPI_Cart_rank(grid, coords, &other);
  CHECK(other == rank);
  int source, destination;
  MPI_Cart_shift(grid, 0, 1, &source, &destination);
  CHECK(destination == (coords[0] + 1) % dims[0] * dims[1] + coords[1]);
  CHECK(source == (coords[0] + dims[0] - 1) % dims[0] * dims[1] + coords[1]);
  int left, right;
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  CHECK(right == (coords[1] + 1 < dims[1] ? rank + 1 : MPI_PROC_NULL));
  CHECK(left == (coords[1] > 0 ? rank - 1 : MPI_PROC_NULL));

  int from[4] = {-1, -1, -1, -1};
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, from, 1, MPI_INT, grid);
  CHECK(from[0] == source && from[1] == destination);
  CHECK(from[2] == (left == MPI_PROC_NULL ? -1 : left));
  CHECK(from[3] == (right == MPI_PROC_NULL ? -1 : right));
  /* What goes one way comes in from the other side. Two ranks in a ring may be neighbours twice: there
     implementations have differed. */
  if (dims[0] > 2) {
    int out[4], in[4] = {-1, -1, -1, -1};
    for (int i = 0; i < 4; ++i) out[i] = 10 * rank + i;
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
    CHECK(in[0] == 10 * source + 1 && in[1] == 10 * destination);
    CHECK(in[2] == (left == MPI_PROC_NULL ? -1 : 10 * left + 3));
    CHECK(in[3] == (right == MPI_PROC_NULL ? -1 : 10 * right + 2));
  }

  MPI_Comm row;
  int keep[2] = {0, 1}, n;
  MPI_Cart_sub(grid, keep, &row);
  MPI_Comm_size(row, &n);
  CHECK(n == dims[1]);
  MPI_Cartdim_get(row, &n);
  CHECK(n == 1);
  MPI_Comm_rank(row, &n);
  CHECK(n == coords[1]);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);

  MPI_Comm ring;
  int before = (rank + size - 1) % size, after = (rank + 1) % size;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  MPI_Topo_test(ring, &kind);
  CHECK(kind == MPI_DIST_GRAPH);
  int in_degree, out_degree, weighted, heard = -1;
  MPI_Dist_graph_neighbors_count(ring, &in_degree, &out_degree, &weighted);
  CHECK(in_degree == 1 && out_degree == 1 && !weighted);
  MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &heard, 1, MPI_INT, ring);
  CHECK(heard == before);
  MPI_Comm_free(&ring);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int large[1] = {size + 1}, once[1] = {0};
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, large, once, 0, &grid) != MPI_SUCCESS);
  return finish();
}
