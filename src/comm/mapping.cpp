#include "comm/mapping.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace ranklet::comm {

namespace {

// What a message costs that leaves an object of a level: a sum over the levels, since their order differs
// between machines (a NUMA domain may be part of a package, or hold several). In proportions that most
// machines have.
constexpr std::array<std::uint8_t, level_count> leaving_cost = [] {
  std::array<std::uint8_t, level_count> cost{};
  const auto set = [&](Level level, std::uint8_t value) { cost[static_cast<std::size_t>(level)] = value; };
  set(Level::hwthread, 1);
  set(Level::core, 1);
  set(Level::l2cache, 1);
  set(Level::l3cache, 3);
  set(Level::numa, 4);
  set(Level::package, 8);
  return cost;
}();

class Distances {
 public:
  explicit Distances(std::span<const Place> places) : size_(places.size()), values_(size_ * size_)
  {
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < size_; ++j)
        if (i != j) values_[i * size_ + j] = distance(places[i], places[j]);
  }

  std::int64_t operator()(int a, int b) const
  {
    return values_[static_cast<std::size_t>(a) * size_ + static_cast<std::size_t>(b)];
  }
  // Whether it matters who is where.
  bool differ() const
  {
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (i / size_ != i % size_ && values_[i] != values_[1]) return true;
    return false;
  }

 private:
  std::size_t size_;
  std::vector<std::uint8_t> values_;
};

std::int64_t cost_of(const Traffic& traffic, const Distances& distances, std::span<const int> members)
{
  std::int64_t cost = 0;
  for (int node = 0; node < traffic.nodes(); ++node)
    for (const auto& [to, weight] : traffic.neighbors(node))
      cost +=
          weight * distances(members[static_cast<std::size_t>(node)], members[static_cast<std::size_t>(to)]);
  return cost / 2;
}

// Gives out members, sorted by where they run, to nodes: an object's members to a connected part of the
// graph, and so on within.
class Division {
 public:
  Division(const Traffic& traffic, std::span<const Place> places)
      : traffic_(traffic), places_(places), members_(static_cast<std::size_t>(traffic.nodes()))
  {
    std::vector<int> order(places.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      for (int level = level_count - 1; level >= 0; --level)
        if (const int x = object(a, level), y = object(b, level); x != y) return x < y;
      return false;
    });
    order.resize(members_.size());
    std::vector<int> nodes(members_.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    divide(nodes, order, level_count - 1);
  }

  const std::vector<int>& members() const { return members_; }

 private:
  int object(int member, int level) const
  {
    return places_[static_cast<std::size_t>(member)].objects[static_cast<std::size_t>(level)];
  }

  void divide(std::vector<int> nodes, std::span<const int> order, int level)
  {
    if (level < 0) {
      for (std::size_t i = 0; i < nodes.size(); ++i) members_[static_cast<std::size_t>(nodes[i])] = order[i];
      return;
    }
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      while (end < order.size() && object(order[end], level) == object(order[begin], level)) ++end;
      divide(take_part(nodes, end - begin), order.subspan(begin, end - begin), level - 1);
    }
  }

  // Takes `size` nodes out of `nodes` that have much to say to each other and little to the rest.
  std::vector<int> take_part(std::vector<int>& nodes, std::size_t size) const
  {
    if (size == nodes.size()) return std::exchange(nodes, {});
    // Of each node that is left, how much it says to those that are left, and to the part.
    std::vector<std::int64_t> outside(members_.size(), 0), inside(members_.size(), 0);
    std::vector<bool> left(members_.size(), false);
    for (const int node : nodes) left[static_cast<std::size_t>(node)] = true;
    for (const int node : nodes)
      for (const auto& [to, weight] : traffic_.neighbors(node))
        if (left[static_cast<std::size_t>(to)]) outside[static_cast<std::size_t>(node)] += weight;
    std::vector<int> hops(members_.size(), 0);  // from the part's first node
    std::vector<int> part;
    while (part.size() < size) {
      const auto best = std::min_element(nodes.begin(), nodes.end(), [&](int a, int b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        if (inside[i] != inside[j]) return inside[i] > inside[j];
        if (hops[i] != hops[j]) return hops[i] < hops[j];  // round parts leave less outside than long ones
        return outside[i] < outside[j];
      });
      if (part.empty()) hops = hops_from(*best, left);
      const int node = *best;
      nodes.erase(best);
      part.push_back(node);
      for (const auto& [to, weight] : traffic_.neighbors(node)) {
        inside[static_cast<std::size_t>(to)] += weight;
        outside[static_cast<std::size_t>(to)] -= weight;
      }
    }
    return part;
  }

  // Of each node, over nodes that are left; those that cannot be reached are the farthest.
  std::vector<int> hops_from(int first, const std::vector<bool>& left) const
  {
    std::vector<int> hops(members_.size(), traffic_.nodes());
    std::vector<int> reached = {first};
    hops[static_cast<std::size_t>(first)] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const auto& [to, weight] : traffic_.neighbors(reached[i])) {
        const auto next = static_cast<std::size_t>(to);
        if (!left[next] || hops[next] < traffic_.nodes()) continue;
        hops[next] = hops[static_cast<std::size_t>(reached[i])] + 1;
        reached.push_back(to);
      }
    }
    return hops;
  }

  const Traffic& traffic_;
  const std::span<const Place> places_;
  std::vector<int> members_;
};

// Swaps pairs of nodes as long as that lowers the cost and the work is not too much.
void improve(const Traffic& traffic, const Distances& distances, std::vector<int>& members)
{
  std::int64_t work = 20'000'000;
  const auto at = [&](int node) -> int& { return members[static_cast<std::size_t>(node)]; };
  // By how much the cost of the edges of `node` changes if it moves to where `other` is, who takes its place.
  const auto change = [&](int node, int other) {
    std::int64_t sum = 0;
    for (const auto& [to, weight] : traffic.neighbors(node))
      if (to != other) sum += weight * (distances(at(other), at(to)) - distances(at(node), at(to)));
    work -= static_cast<std::int64_t>(traffic.neighbors(node).size()) + 1;
    return sum;
  };
  for (bool better = true; better;) {
    better = false;
    for (int a = 0; a < traffic.nodes(); ++a) {
      for (int b = a + 1; b < traffic.nodes(); ++b) {
        if (work < 0) return;
        if (distances(at(a), at(b)) == 0 || change(a, b) + change(b, a) >= 0) continue;
        std::swap(at(a), at(b));
        better = true;
      }
    }
  }
}

}  // namespace

void Traffic::add(int from, int to, std::int64_t weight)
{
  if (from == to || weight <= 0) return;
  neighbors_[static_cast<std::size_t>(from)].push_back({to, weight});
  neighbors_[static_cast<std::size_t>(to)].push_back({from, weight});
}

std::uint8_t distance(const Place& a, const Place& b)
{
  std::uint8_t sum = 0;
  for (std::size_t level = 0; level < level_count; ++level)
    if (a.objects[level] < 0 || a.objects[level] != b.objects[level]) sum += leaving_cost[level];
  return sum;
}

std::vector<int> map_nodes(const Traffic& traffic, std::span<const Place> places)
{
  std::vector<int> identity(static_cast<std::size_t>(traffic.nodes()));
  std::iota(identity.begin(), identity.end(), 0);
  const Distances distances(places);
  if (!distances.differ()) return identity;

  std::vector<int> divided = Division(traffic, places).members();
  std::vector<int> improved = identity;
  improve(traffic, distances, divided);
  improve(traffic, distances, improved);
  const auto cost = [&](const std::vector<int>& members) { return cost_of(traffic, distances, members); };
  const std::vector<int>& best = cost(divided) < cost(improved) ? divided : improved;
  return cost(best) < cost(identity) ? best : identity;
}

}  // namespace ranklet::comm
