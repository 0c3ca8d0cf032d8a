/* MPI 5.0 chapter 8: topologies whose processes may be numbered anew; on any number of ranks. */
#include "../check.h"

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  /* Grid: coordinates and neighbours fit the new ranks. */
  int dims[2] = {0, 0}, periods[2] = {0, 1}, coords[2], mine, other;
  MPI_Comm grid;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  CHECK(grid != MPI_COMM_NULL);
  MPI_Comm_rank(grid, &mine);
  MPI_Cart_coords(grid, mine, 2, coords);
  CHECK(mine == coords[0] * dims[1] + coords[1]);
  for (int direction = 0; direction < 2; ++direction) {
    int from, to, got = -1;
    MPI_Cart_shift(grid, direction, 1, &from, &to);
    MPI_Sendrecv(&mine, 1, MPI_INT, to, 0, &got, 1, MPI_INT, from, 0, grid, MPI_STATUS_IGNORE);
    CHECK(from == MPI_PROC_NULL ? got == -1 : got == from);
  }
  MPI_Comm_free(&grid);
  CALL(MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &other));
  CHECK(other >= 0 && other < size);

  /* Graph: node i talks to i + 1. */
  int index[64], edges[64];
  if (size <= 64) {
    MPI_Comm graph;
    for (int i = 0; i < size; ++i) {
      index[i] = i + 1;
      edges[i] = (i + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 1, &graph);
    MPI_Comm_rank(graph, &mine);
    MPI_Graph_neighbors(graph, mine, 1, &other);
    CHECK(other == (mine + 1) % size);
    MPI_Comm_free(&graph);
    CALL(MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &other));
    CHECK(other >= 0 && other < size);
  }

  /* Distributed graphs: what was said of node i is what the new rank i gets, whoever it is. */
  for (int way = 0; way < 2; ++way) {
    MPI_Comm graph;
    int before = (rank + size - 1) % size, after = (rank + 1) % size, weight = rank + 1, before_weight = before + 1;
    int one = 1, in, out, weighted, got = -1;
    if (way == 0)
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &before_weight, 1, &after, &weight, MPI_INFO_NULL,
                                     1, &graph);
    else
      MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &after, &weight, MPI_INFO_NULL, 1, &graph);
    MPI_Comm_rank(graph, &mine);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK(in == 1 && out == 1 && weighted);
    int source, source_weight, destination, destination_weight;
    MPI_Dist_graph_neighbors(graph, 1, &source, &source_weight, 1, &destination, &destination_weight);
    CHECK(source == (mine + size - 1) % size && source_weight == source + 1);
    CHECK(destination == (mine + 1) % size && destination_weight == mine + 1);
    MPI_Neighbor_alltoall(&mine, 1, MPI_INT, &got, 1, MPI_INT, graph);
    CHECK(got == source);
    MPI_Comm_free(&graph);
  }
  return finish();
}
