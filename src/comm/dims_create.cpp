// MPI_Dims_create (MPI 5.0 §8.5.2).
#include <algorithm>
#include <compare>
#include <limits>

#include "comm/virtual_topology.hpp"
#include "terms/error.hpp"

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

// How uneven a division into factors is: first the distance of its largest from its smallest one, then the
// surface of a block of a box that is cut so, which its halo exchange sends.
struct Unevenness {
  int spread;
  std::int64_t surface;

  friend auto operator<=>(const Unevenness&, const Unevenness&) = default;
};

// Searches the divisions of `nodes` into factors that do not increase for the most even one.
class Search {
 public:
  Search(int nodes, std::size_t count) : nodes_(nodes), current_(count) { run(0, nodes); }

  const std::vector<int>& best() const { return best_; }

 private:
  // Fills current_[from...] with factors of `rest`.
  void run(std::size_t from, int rest)
  {
    const std::size_t left = current_.size() - from;
    const int limit = from == 0 ? rest : current_[from - 1];
    if (left == 1) {
      if (rest > limit) return;
      current_[from] = rest;
      compare();
      return;
    }
    for (const int factor : divisors(rest)) {
      if (factor > limit) return;
      // The rest must fit into factors that are no larger.
      if (power(factor, left) < rest) continue;
      current_[from] = factor;
      // The last factor is at most the root of `rest`, so that the spread can only become larger.
      if (!best_.empty() && power(current_[0] - best_unevenness_.spread, left) > rest) return;
      run(from + 1, rest / factor);
    }
  }

  void compare()
  {
    Unevenness unevenness{current_.front() - current_.back(), 0};
    for (const int factor : current_) unevenness.surface += nodes_ / factor;
    if (!best_.empty() && best_unevenness_ <= unevenness) return;
    best_ = current_;
    best_unevenness_ = unevenness;
  }

  // Only exact up to the largest int; negative bases count as 0.
  static std::int64_t power(int base, std::size_t exponent)
  {
    if (base <= 1) return std::max(base, 0);
    std::int64_t result = 1;
    for (std::size_t i = 0; i < exponent && result <= std::numeric_limits<int>::max(); ++i) result *= base;
    return result;
  }

  const int nodes_;
  std::vector<int> current_;
  std::vector<int> best_;
  Unevenness best_unevenness_{};
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
  const Search search(rest, open);
  auto next = search.best().begin();
  for (int& dim : dims)
    if (dim == 0) dim = *next++;
}

}  // namespace ranklet::comm
