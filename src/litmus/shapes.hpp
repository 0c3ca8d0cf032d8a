// The shapes of the literature: a few accesses by each thread, and one outcome that shows whether they were
// reordered. Between its two accesses each thread does `between`, which may be nothing.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "litmus/executions.hpp"

namespace ranklet::litmus {

struct Shape {
  std::string_view name;
  std::string_view meaning;
  int threads;
  // Names of what an outcome lists, as "P0:B,P1:A" or "last:A".
  std::string_view observed;
};

std::span<const Shape> shapes();
const Shape& shape(std::string_view name);  // throws std::invalid_argument

// How a thread writes and reads.
struct Accesses {
  Order store = Order::relaxed;
  Order load = Order::relaxed;
};

// The program, and the outcome that needs reordering.
struct Instance {
  Program program;
  Condition weak;
};

Instance instance(const Shape& shape, const Thread& between, Accesses accesses = {});

}  // namespace ranklet::litmus
