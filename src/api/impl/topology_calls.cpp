// Virtual topologies (MPI 5.0 §8.5).
#include <algorithm>

#include "api/impl/impl.hpp"
#include "coll/coll.hpp"

namespace ranklet::api::impl {

namespace {

using comm::TopologyKind;

std::span<const int> items(const int* array, std::size_t n)
{
  return {array, n};
}
std::span<const int> items(const int* array, int n)
{
  return {array, static_cast<std::size_t>(n)};
}

void hand_out_list(const std::vector<int>& list, int* out, int room)
{
  std::copy_n(list.begin(), std::min(list.size(), static_cast<std::size_t>(room)), out);
}

bool is_weighted(const int* weights)
{
  return weights != MPI_UNWEIGHTED;
}

std::span<const int> weights_of(const int* weights, std::size_t n)
{
  if (weights == MPI_UNWEIGHTED || weights == MPI_WEIGHTS_EMPTY) return {};
  return items(weights, n);
}

int edge_count(int nnodes, const int* indx)
{
  if (nnodes < 0) fail(ErrorClass::arg, "the number of nodes is %d", nnodes);
  return nnodes == 0 ? 0 : std::max(0, indx[nnodes - 1]);
}

}  // namespace

void Cart_create(Rank&, Communicator& comm_old, int ndims, const int* dims, const int* periods, bool reorder,
                 CommRef& comm_cart)
{
  coll::note_new_communicator(comm_old);
  comm_cart = comm::cart_create(comm_old, items(dims, ndims), items(periods, ndims), reorder);
}

void Dims_create(Rank&, int nnodes, int ndims, int* dims)
{
  comm::dims_create(nnodes, {dims, static_cast<std::size_t>(ndims)});
}

void Graph_create(Rank&, Communicator& comm_old, int nnodes, const int* indx, const int* edges, bool reorder,
                  CommRef& comm_graph)
{
  coll::note_new_communicator(comm_old);
  comm_graph =
      comm::graph_create(comm_old, items(indx, nnodes), items(edges, edge_count(nnodes, indx)), reorder);
}

void Dist_graph_create_adjacent(Rank&, Communicator& comm_old, int indegree, const int* sources,
                                const int* sourceweights, int outdegree, const int* destinations,
                                const int* destweights, Info*, bool reorder, CommRef& comm_dist_graph)
{
  coll::note_new_communicator(comm_old);
  comm_dist_graph = comm::dist_graph_create_adjacent(
      comm_old, items(sources, indegree), weights_of(sourceweights, static_cast<std::size_t>(indegree)),
      items(destinations, outdegree), weights_of(destweights, static_cast<std::size_t>(outdegree)),
      is_weighted(sourceweights), reorder);
}

void Dist_graph_create(Rank&, Communicator& comm_old, int n, const int* sources, const int* degrees,
                       const int* destinations, const int* weights, Info*, bool reorder,
                       CommRef& comm_dist_graph)
{
  coll::note_new_communicator(comm_old);
  std::size_t edges = 0;
  for (int i = 0; i < n; ++i) edges += static_cast<std::size_t>(std::max(0, degrees[i]));
  comm_dist_graph =
      comm::dist_graph_create(comm_old, items(sources, n), items(degrees, n), items(destinations, edges),
                              weights_of(weights, edges), is_weighted(weights), reorder);
}

void Topo_test(Rank&, Communicator& comm, int& status)
{
  status = !comm.topology                                   ? MPI_UNDEFINED
           : comm.topology->kind == TopologyKind::cartesian ? MPI_CART
           : comm.topology->kind == TopologyKind::graph     ? MPI_GRAPH
                                                            : MPI_DIST_GRAPH;
}

void Graphdims_get(Rank&, Communicator& comm, int& nnodes, int& nedges)
{
  const comm::Topology& graph = comm::topology(comm, TopologyKind::graph);
  nnodes = static_cast<int>(graph.index.size());
  nedges = static_cast<int>(graph.edges.size());
}

void Graph_get(Rank&, Communicator& comm, int maxindex, int maxedges, int* indx, int* edges)
{
  const comm::Topology& graph = comm::topology(comm, TopologyKind::graph);
  hand_out_list(graph.index, indx, maxindex);
  hand_out_list(graph.edges, edges, maxedges);
}

void Cartdim_get(Rank&, Communicator& comm, int& ndims)
{
  ndims = static_cast<int>(comm::topology(comm, TopologyKind::cartesian).dims.size());
}

void Cart_get(Rank&, Communicator& comm, int maxdims, int* dims, int* periods, int* coords)
{
  const comm::Topology& grid = comm::topology(comm, TopologyKind::cartesian);
  hand_out_list(grid.dims, dims, maxdims);
  hand_out_list({grid.periods.begin(), grid.periods.end()}, periods, maxdims);
  hand_out_list(grid.coords, coords, maxdims);
}

void Cart_rank(Rank&, Communicator& comm, const int* coords, int& rank)
{
  rank = comm::cart_rank(comm, items(coords, comm::topology(comm, TopologyKind::cartesian).dims.size()));
}

void Cart_coords(Rank&, Communicator& comm, int rank, int maxdims, int* coords)
{
  comm::cart_coords(comm, rank, {coords, static_cast<std::size_t>(maxdims)});
}

void Graph_neighbors_count(Rank&, Communicator& comm, int rank, int& nneighbors)
{
  nneighbors = static_cast<int>(comm::graph_neighbors(comm, rank).size());
}

void Graph_neighbors(Rank&, Communicator& comm, int rank, int maxneighbors, int* neighbors)
{
  const std::span<const int> found = comm::graph_neighbors(comm, rank);
  std::copy_n(found.begin(), std::min(found.size(), static_cast<std::size_t>(maxneighbors)), neighbors);
}

void Dist_graph_neighbors_count(Rank&, Communicator& comm, int& indegree, int& outdegree, bool& weighted)
{
  const comm::Topology& graph = comm::topology(comm, TopologyKind::dist_graph);
  indegree = static_cast<int>(graph.sources.size());
  outdegree = static_cast<int>(graph.destinations.size());
  weighted = graph.weighted;
}

void Dist_graph_neighbors(Rank&, Communicator& comm, int maxindegree, int* sources, int* sourceweights,
                          int maxoutdegree, int* destinations, int* destweights)
{
  const comm::Topology& graph = comm::topology(comm, TopologyKind::dist_graph);
  hand_out_list(graph.sources, sources, maxindegree);
  hand_out_list(graph.destinations, destinations, maxoutdegree);
  if (!graph.weighted) return;
  if (is_weighted(sourceweights)) hand_out_list(graph.source_weights, sourceweights, maxindegree);
  if (is_weighted(destweights)) hand_out_list(graph.destination_weights, destweights, maxoutdegree);
}

void Cart_shift(Rank&, Communicator& comm, int direction, int disp, int& rank_source, int& rank_dest)
{
  comm::cart_shift(comm, direction, disp, &rank_source, &rank_dest);
}

void Cart_sub(Rank&, Communicator& comm, const int* remain_dims, CommRef& newcomm)
{
  coll::note_new_communicator(comm);
  const std::size_t dims = comm::topology(comm, TopologyKind::cartesian).dims.size();
  newcomm = comm::cart_sub(comm, items(remain_dims, dims));
}

void Cart_map(Rank&, Communicator& comm, int ndims, const int* dims, const int* periods, int& newrank)
{
  newrank = comm::cart_map(comm, items(dims, ndims), items(periods, ndims));
}

void Graph_map(Rank&, Communicator& comm, int nnodes, const int* indx, const int* edges, int& newrank)
{
  newrank = comm::graph_map(comm, items(indx, nnodes), items(edges, edge_count(nnodes, indx)));
}

}  // namespace ranklet::api::impl
