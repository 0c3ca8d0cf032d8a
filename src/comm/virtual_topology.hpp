// Virtual topologies (MPI 5.0 chapter 8): the neighbours of each member of a communicator.
#pragma once

#include <vector>

#include "comm/communicator.hpp"

namespace ranklet::comm {

enum class TopologyKind { cartesian, graph, dist_graph };

// What a communicator with a topology carries; only the members of its kind are filled.
struct Topology {
  TopologyKind kind = TopologyKind::cartesian;

  // cartesian: one per dimension
  std::vector<int> dims;
  std::vector<bool> periods;
  std::vector<int> coords;  // of this rank

  // graph: the edges of rank i end at index[i] of edges
  std::vector<int> index;
  std::vector<int> edges;

  // All kinds: the neighbours in the order of the neighbourhood collectives (§8.6), proc_null where a
  // cartesian one is missing. For cartesian and graph both lists are equal.
  std::vector<int> sources;
  std::vector<int> destinations;
  // dist_graph
  std::vector<int> source_weights;
  std::vector<int> destination_weights;
  bool weighted = false;
};

// §8.5.1 and on. The communicators are intracommunicators. With `reorder`, neighbours get members that run
// near each other (mapping.hpp), as far as ranks are pinned; else the members keep their order. Collective
// over `parent`; members that are left out get null. Errors: dims, topology, arg, comm, rank, as the
// standard's classes are named.
CommRef cart_create(Communicator& parent, std::span<const int> dims, std::span<const int> periods,
                    bool reorder = false);
CommRef cart_sub(Communicator& parent, std::span<const int> remain);
CommRef graph_create(Communicator& parent, std::span<const int> index, std::span<const int> edges,
                     bool reorder = false);
// The lists are this rank's own; weights may be empty (MPI_UNWEIGHTED: weighted is false).
CommRef dist_graph_create_adjacent(Communicator& parent, std::span<const int> sources,
                                   std::span<const int> source_weights, std::span<const int> destinations,
                                   std::span<const int> destination_weights, bool weighted,
                                   bool reorder = false);
// Any rank may name any edges: degrees[i] edges from sources[i], in the order of destinations.
CommRef dist_graph_create(Communicator& parent, std::span<const int> sources, std::span<const int> degrees,
                          std::span<const int> destinations, std::span<const int> weights, bool weighted,
                          bool reorder = false);

// Fills in the zeros of `dims` so that the product is `nodes`: non-increasing, with the least distance
// between the largest and the smallest, and among such divisions the one whose blocks have the least surface.
void dims_create(int nodes, std::span<int> dims);

// The topology, if it has that kind; errors: topology.
const Topology& topology(const Communicator& comm, TopologyKind kind);
int cart_rank(const Communicator& comm, std::span<const int> coords);
void cart_coords(const Communicator& comm, int rank, std::span<int> coords);
// The ranks to receive from and to send to for a shift by `displacement` along `direction`.
void cart_shift(const Communicator& comm, int direction, int displacement, int* source, int* destination);
// The neighbours of `rank` in a graph.
std::span<const int> graph_neighbors(const Communicator& comm, int rank);
// This rank's number in the grid or graph, or `undefined` if it would be left out (MPI_Cart_map,
// MPI_Graph_map): that which it gets with `reorder`. Needs nobody else.
int cart_map(const Communicator& comm, std::span<const int> dims, std::span<const int> periods);
int graph_map(const Communicator& comm, std::span<const int> index, std::span<const int> edges);

}  // namespace ranklet::comm
