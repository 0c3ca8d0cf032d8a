#include "comm/virtual_topology.hpp"

#include <algorithm>
#include <limits>

#include "comm/create.hpp"
#include "comm/reorder.hpp"
#include "terms/error.hpp"

namespace ranklet::comm {

namespace {

int grid_size(std::span<const int> dims)
{
  std::int64_t size = 1;
  for (const int dim : dims) {
    if (dim <= 0) fail(ErrorClass::dims, "a dimension of the grid is %d", dim);
    size *= dim;
    if (size > std::numeric_limits<int>::max()) fail(ErrorClass::dims, "the grid is too large");
  }
  return static_cast<int>(size);
}

void check_intra(const Communicator& comm)
{
  if (comm.is_inter()) fail(ErrorClass::comm, "the communicator is an intercommunicator");
}

// Row-major: the last dimension varies fastest (§8.5.1). Positions wrap around where the grid is periodic;
// `undefined` where one is outside.
int rank_at(const Topology& grid, std::span<const int> coords)
{
  int rank = 0;
  for (std::size_t i = 0; i < grid.dims.size(); ++i) {
    const int dim = grid.dims[i];
    int coord = coords[i];
    if (coord < 0 || coord >= dim) {
      if (!grid.periods[i]) return undefined;
      coord = (coord % dim + dim) % dim;
    }
    rank = rank * dim + coord;
  }
  return rank;
}

void find_coords(const Topology& grid, int rank, std::span<int> coords)
{
  for (std::size_t i = grid.dims.size(); i-- > 0;) {
    coords[i] = rank % grid.dims[i];
    rank /= grid.dims[i];
  }
}

int shifted(const Topology& grid, std::size_t direction, int displacement)
{
  std::vector<int> coords = grid.coords;
  // Reduced first, as the sum may not fit.
  const std::int64_t target = std::int64_t{coords[direction]} + displacement;
  const int dim = grid.dims[direction];
  if (target < 0 || target >= dim) {
    if (!grid.periods[direction]) return proc_null;
    coords[direction] = static_cast<int>((target % dim + dim) % dim);
  } else {
    coords[direction] = static_cast<int>(target);
  }
  return rank_at(grid, coords);
}

// Completes a grid whose dims and periods are set, for the member `rank`.
void place_in_grid(Topology& grid, int rank)
{
  grid.coords.resize(grid.dims.size());
  find_coords(grid, rank, grid.coords);
  // Per dimension first the one before, then the one after (§8.6).
  for (std::size_t i = 0; i < grid.dims.size(); ++i)
    for (const int step : {-1, 1}) grid.sources.push_back(shifted(grid, i, step));
  grid.destinations = grid.sources;
}

Topology make_grid(std::span<const int> dims, std::span<const int> periods)
{
  Topology grid;
  grid.dims.assign(dims.begin(), dims.end());
  for (const int period : periods) grid.periods.push_back(period != 0);
  return grid;
}

// Each node and the next one in each dimension.
Traffic grid_traffic(Topology grid)
{
  Traffic traffic(grid_size(grid.dims));
  grid.coords.resize(grid.dims.size());
  for (int rank = 0; rank < traffic.nodes(); ++rank) {
    find_coords(grid, rank, grid.coords);
    for (std::size_t i = 0; i < grid.dims.size(); ++i)
      if (const int next = shifted(grid, i, 1); next != proc_null) traffic.add(rank, next);
  }
  return traffic;
}

Traffic graph_traffic(std::span<const int> index, std::span<const int> edges)
{
  Traffic traffic(static_cast<int>(index.size()));
  std::size_t edge = 0;
  for (int node = 0; node < traffic.nodes(); ++node)
    for (; edge < static_cast<std::size_t>(index[static_cast<std::size_t>(node)]); ++edge)
      traffic.add(node, edges[edge]);
  return traffic;
}

void check_graph(const Communicator& parent, std::span<const int> index, std::span<const int> edges)
{
  check_intra(parent);
  const int nodes = static_cast<int>(index.size());
  if (nodes > parent.size())
    fail(ErrorClass::topology, "a graph of %d does not fit into a communicator of %d", nodes, parent.size());
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] < (i == 0 ? 0 : index[i - 1])) fail(ErrorClass::arg, "index[%zu] decreases", i);
  const std::size_t edge_count = nodes == 0 ? 0 : static_cast<std::size_t>(index.back());
  if (edges.size() < edge_count) fail(ErrorClass::arg, "there are less edges than index says");
  for (const int edge : edges.first(edge_count))
    if (edge < 0 || edge >= nodes) fail(ErrorClass::topology, "edge to %d in a graph of %d", edge, nodes);
}

void check_grid(const Communicator& parent, std::span<const int> dims)
{
  check_intra(parent);
  const int size = grid_size(dims);
  if (size > parent.size())
    fail(ErrorClass::dims, "a grid of %d does not fit into a communicator of %d", size, parent.size());
}

// The new number of the calling member, of those that nodes have got; `undefined` if it is left out.
int number_in(const std::vector<int>& members, int rank)
{
  const auto found = std::find(members.begin(), members.end(), rank);
  return found == members.end() ? undefined : static_cast<int>(found - members.begin());
}

}  // namespace

CommRef cart_create(Communicator& parent, std::span<const int> dims, std::span<const int> periods,
                    bool reorder)
{
  check_grid(parent, dims);
  auto grid = std::make_unique<Topology>(make_grid(dims, periods));
  CommRef child = create_mapped(parent, grid_size(dims), reorder, [&] { return grid_traffic(*grid); });
  if (!child) return {};
  place_in_grid(*grid, child->rank());
  child->topology = std::move(grid);
  return child;
}

CommRef cart_sub(Communicator& parent, std::span<const int> remain)
{
  const Topology& grid = topology(parent, TopologyKind::cartesian);
  auto part = std::make_unique<Topology>();
  int color = 0, key = 0;
  for (std::size_t i = 0; i < grid.dims.size(); ++i) {
    if (remain[i]) {
      part->dims.push_back(grid.dims[i]);
      part->periods.push_back(grid.periods[i]);
      key = key * grid.dims[i] + grid.coords[i];
    } else {
      color = color * grid.dims[i] + grid.coords[i];
    }
  }
  CommRef child = split(parent, color, key);
  place_in_grid(*part, child->rank());
  child->topology = std::move(part);
  return child;
}

CommRef graph_create(Communicator& parent, std::span<const int> index, std::span<const int> edges,
                     bool reorder)
{
  check_graph(parent, index, edges);
  const int nodes = static_cast<int>(index.size());
  const std::size_t edge_count = nodes == 0 ? 0 : static_cast<std::size_t>(index.back());
  CommRef child = create_mapped(parent, nodes, reorder, [&] { return graph_traffic(index, edges); });
  if (!child) return {};
  auto graph = std::make_unique<Topology>();
  graph->kind = TopologyKind::graph;
  graph->index.assign(index.begin(), index.end());
  graph->edges.assign(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(edge_count));
  child->topology = std::move(graph);
  const std::span<const int> mine = graph_neighbors(*child, child->rank());
  child->topology->sources.assign(mine.begin(), mine.end());
  child->topology->destinations = child->topology->sources;
  return child;
}

const Topology& topology(const Communicator& comm, TopologyKind kind)
{
  if (!comm.topology || comm.topology->kind != kind)
    fail(ErrorClass::topology, "the communicator has no %s topology",
         kind == TopologyKind::cartesian ? "Cartesian"
         : kind == TopologyKind::graph   ? "graph"
                                         : "distributed graph");
  return *comm.topology;
}

int cart_rank(const Communicator& comm, std::span<const int> coords)
{
  const int rank = rank_at(topology(comm, TopologyKind::cartesian), coords);
  if (rank == undefined) fail(ErrorClass::rank, "a coordinate is outside a dimension that is not periodic");
  return rank;
}

void cart_coords(const Communicator& comm, int rank, std::span<int> coords)
{
  const Topology& grid = topology(comm, TopologyKind::cartesian);
  if (rank < 0 || rank >= comm.size())
    fail(ErrorClass::rank, "rank %d is not in the communicator of %d", rank, comm.size());
  if (coords.size() < grid.dims.size())
    fail(ErrorClass::dims, "there is room for %zu of %zu coordinates", coords.size(), grid.dims.size());
  find_coords(grid, rank, coords);
}

void cart_shift(const Communicator& comm, int direction, int displacement, int* source, int* destination)
{
  const Topology& grid = topology(comm, TopologyKind::cartesian);
  if (direction < 0 || direction >= static_cast<int>(grid.dims.size()))
    fail(ErrorClass::dims, "direction %d is not in a grid of %zu dimensions", direction, grid.dims.size());
  if (displacement == std::numeric_limits<int>::min()) fail(ErrorClass::arg, "the displacement is too large");
  *source = shifted(grid, static_cast<std::size_t>(direction), -displacement);
  *destination = shifted(grid, static_cast<std::size_t>(direction), displacement);
}

std::span<const int> graph_neighbors(const Communicator& comm, int rank)
{
  const Topology& graph = topology(comm, TopologyKind::graph);
  if (rank < 0 || rank >= comm.size())
    fail(ErrorClass::rank, "rank %d is not in the communicator of %d", rank, comm.size());
  const auto i = static_cast<std::size_t>(rank);
  const int begin = i == 0 ? 0 : graph.index[i - 1];
  return std::span(graph.edges)
      .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(graph.index[i] - begin));
}

int cart_map(const Communicator& comm, std::span<const int> dims, std::span<const int> periods)
{
  check_grid(comm, dims);
  return number_in(map_members(comm, grid_traffic(make_grid(dims, periods))), comm.rank());
}

int graph_map(const Communicator& comm, std::span<const int> index, std::span<const int> edges)
{
  check_graph(comm, index, edges);
  return number_in(map_members(comm, graph_traffic(index, edges)), comm.rank());
}

}  // namespace ranklet::comm
