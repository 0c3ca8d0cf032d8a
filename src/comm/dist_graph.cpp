// Distributed graph topologies (MPI 5.0 §8.5.4).
#include "comm/reorder.hpp"
#include "comm/virtual_topology.hpp"
#include "terms/error.hpp"

namespace ranklet::comm {

namespace {

using TopologyPtr = std::shared_ptr<Topology>;

void check_members(const Communicator& comm, std::span<const int> ranks)
{
  if (comm.is_inter()) fail(ErrorClass::comm, "the communicator is an intercommunicator");
  for (const int rank : ranks)
    if (rank < 0 || rank >= comm.size())
      fail(ErrorClass::rank, "rank %d is not in the communicator of %d", rank, comm.size());
}

// What one member gets: its neighbours, and who all members are.
struct Part {
  TopologyPtr graph;
  std::shared_ptr<const std::vector<int>> members;
};

// Each member's part, by its rank in the parent, from the neighbours of each node.
std::vector<Part> assign(const Communicator& parent, const std::vector<TopologyPtr>& nodes, bool reorder)
{
  Traffic traffic(parent.size());
  if (reorder)
    for (int node = 0; node < traffic.nodes(); ++node) {
      const Topology& graph = *nodes[static_cast<std::size_t>(node)];
      for (std::size_t i = 0; i < graph.destinations.size(); ++i)
        traffic.add(node, graph.destinations[i],
                    i < graph.destination_weights.size() ? graph.destination_weights[i] : 1);
    }
  const auto members = std::make_shared<const std::vector<int>>(map_members(parent, traffic));
  std::vector<Part> parts(nodes.size());
  for (std::size_t node = 0; node < nodes.size(); ++node)
    parts[static_cast<std::size_t>((*members)[node])] = {nodes[node], members};
  return parts;
}

CommRef with_graph(CommRef child, Topology graph)
{
  graph.kind = TopologyKind::dist_graph;
  child->topology = std::make_unique<Topology>(std::move(graph));
  return child;
}

}  // namespace

CommRef dist_graph_create_adjacent(Communicator& parent, std::span<const int> sources,
                                   std::span<const int> source_weights, std::span<const int> destinations,
                                   std::span<const int> destination_weights, bool weighted, bool reorder)
{
  check_members(parent, sources);
  check_members(parent, destinations);
  Topology mine;
  mine.sources.assign(sources.begin(), sources.end());
  mine.destinations.assign(destinations.begin(), destinations.end());
  mine.source_weights.assign(source_weights.begin(), source_weights.end());
  mine.destination_weights.assign(destination_weights.begin(), destination_weights.end());
  mine.weighted = weighted;
  if (!reorder || !knows_places(parent)) return with_graph(create(parent, parent.group()), std::move(mine));

  const Part part = confer<Part>(parent, mine, [&](std::span<const Topology* const> all) {
    std::vector<TopologyPtr> nodes;
    for (const Topology* node : all) nodes.push_back(std::make_shared<Topology>(*node));
    return assign(parent, nodes, true);
  });
  return with_graph(create_of(parent, *part.members), *part.graph);
}

CommRef dist_graph_create(Communicator& parent, std::span<const int> sources, std::span<const int> degrees,
                          std::span<const int> destinations, std::span<const int> weights, bool weighted,
                          bool reorder)
{
  std::size_t edges = 0;
  for (const int degree : degrees) {
    if (degree < 0) fail(ErrorClass::arg, "a degree is %d", degree);
    edges += static_cast<std::size_t>(degree);
  }
  check_members(parent, sources);
  check_members(parent, destinations.first(edges));

  struct Edges {
    std::span<const int> sources, degrees, destinations, weights;
    bool weighted;
  };
  const Edges mine{sources, degrees, destinations, weights, weighted};
  const Part part = confer<Part>(parent, mine, [&](std::span<const Edges* const> all) {
    std::vector<TopologyPtr> nodes(all.size());
    for (TopologyPtr& node : nodes) {
      node = std::make_shared<Topology>();
      node->weighted = weighted;
    }
    for (const Edges* from : all) {
      std::size_t edge = 0;
      for (std::size_t i = 0; i < from->sources.size(); ++i) {
        Topology& source = *nodes[static_cast<std::size_t>(from->sources[i])];
        for (int k = 0; k < from->degrees[i]; ++k, ++edge) {
          Topology& destination = *nodes[static_cast<std::size_t>(from->destinations[edge])];
          source.destinations.push_back(from->destinations[edge]);
          destination.sources.push_back(from->sources[i]);
          if (!from->weighted) continue;
          source.destination_weights.push_back(from->weights[edge]);
          destination.source_weights.push_back(from->weights[edge]);
        }
      }
    }
    return assign(parent, nodes, reorder);
  });
  return with_graph(create_of(parent, *part.members), *part.graph);
}

}  // namespace ranklet::comm
