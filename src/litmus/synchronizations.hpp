// The synchronisations that bench/mpi/litmus.c runs, by the names it prints, and what the memory model says
// to each.
#pragma once

#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "litmus/edges.hpp"
#include "litmus/shapes.hpp"

namespace ranklet::litmus {

// What may be seen, and the outcome of interest: the one that needs reordering, or breaks the rule.
struct Expectation {
  std::set<std::vector<int>> allowed;
  std::vector<int> weak;

  bool forbids_weak() const { return allowed.count(weak) == 0; }
};

// Between the two accesses of each thread of a shape.
struct Inline {
  std::string_view name;
  std::string_view what;  // "MPI_Win_sync"
  Thread between;
};

// From one rank to another: a row of the table of rules, or an edge of C.
struct Directed {
  std::string_view name;
  std::string_view what;
  memmodel::Edge edge;
};

const std::vector<Inline>& inline_synchronizations();
const std::vector<Directed>& directed_synchronizations();

Expectation expectation(const Shape& shape, const Inline& synchronization);
Expectation expectation(memmodel::Rule rule, const Directed& synchronization);

}  // namespace ranklet::litmus
