// MPI_Dims_create (MPI 5.0 §8.5.2).
#include <algorithm>

#include "base/error.hpp"
#include "comm/topology.hpp"

namespace ranklet::comm {

namespace {

// In ascending order.
std::vector<int> divisors(int number)
{
  std::vector<int> small, large;
  for (int i = 1; std::int64_t{i} * i <= number; ++i) {
    if (number % i != 0) continue;
    small.push_back(i);
    if (i != number / i) large.push_back(number / i);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

// Searches the divisions of `nodes` into factors that do not increase for the one whose largest factor is
// least, then whose second is, and so on: the most equal ones in the standard's sense.
struct Search {
  std::vector<int> best;
  std::vector<int> current;

  // Fills current[from...] with factors of `nodes` that are at most `limit`.
  void run(std::size_t from, int nodes, int limit)
  {
    const std::size_t left = current.size() - from;
    if (left == 1) {
      if (nodes > limit) return;
      current[from] = nodes;
      if (best.empty() || current < best) best = current;
      return;
    }
    for (const int factor : divisors(nodes)) {
      if (factor > limit) return;
      // The rest must fit into factors that are no larger.
      std::int64_t room = 1;
      for (std::size_t i = 0; i < left && room < nodes; ++i) room *= factor;
      if (room < nodes) continue;
      current[from] = factor;
      // Larger first factors come later in the order, so the first one that can be completed is it.
      run(from + 1, nodes / factor, factor);
      if (!best.empty()) return;
    }
  }
};

}  // namespace

void dims_create(int nodes, std::span<int> dims)
{
  if (nodes < 1) fail(ErrorClass::arg, "the number of nodes is %d", nodes);
  int rest = nodes;
  std::size_t open = 0;
  for (const int dim : dims) {
    if (dim < 0) fail(ErrorClass::dims, "a dimension is %d", dim);
    if (dim == 0) {
      ++open;
    } else {
      if (rest % dim != 0)
        fail(ErrorClass::dims, "%d nodes cannot be divided by the dimensions given", nodes);
      rest /= dim;
    }
  }
  if (open == 0) {
    if (rest != 1) fail(ErrorClass::dims, "the dimensions given do not have %d nodes", nodes);
    return;
  }
  Search search;
  search.current.resize(open);
  search.run(0, rest, rest);
  auto next = search.best.begin();
  for (int& dim : dims)
    if (dim == 0) dim = *next++;
}

}  // namespace ranklet::comm
