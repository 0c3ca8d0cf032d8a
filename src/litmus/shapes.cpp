#include "litmus/shapes.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace ranklet::litmus {

namespace {

constexpr std::array all_shapes{
    Shape{"mp", "message passing: P1 sees the flag, but not the data", 2, "P1:B,P1:A"},
    Shape{"lb", "load buffering: both loads see the store that comes after the other", 2, "P0:A,P1:B"},
    Shape{"sb", "store buffering: both loads miss the store that comes before the other", 2, "P0:B,P1:A"},
    Shape{"s", "P1 sees the flag, but its store to the data loses against the one before", 2, "P1:B,last:A"},
    Shape{"r", "the second store to B is P1's, but P1 misses the store before the first", 2, "P1:A,last:B"},
    Shape{"2+2w", "two stores each, crosswise: both first ones are last", 2, "last:A,last:B"},
    Shape{"iriw", "two readers see two independent stores in different orders", 4, "P2:A,P2:B,P3:B,P3:A"},
    Shape{"coherence", "one reader sees two stores to one location backwards", 2, "P1:A,P1:A"},
};

constexpr int a = 0, b = 1;

}  // namespace

std::span<const Shape> shapes()
{
  return all_shapes;
}

const Shape& shape(std::string_view name)
{
  for (const Shape& s : all_shapes)
    if (s.name == name) return s;
  throw std::invalid_argument("no litmus shape " + std::string(name));
}

Instance instance(const Shape& shape, const Thread& between, Accesses how)
{
  Instance made;
  made.program.initial = {0, 0};
  auto& threads = made.program.threads;
  const int second = static_cast<int>(between.size()) + 1;
  const auto thread = [&](const Op& one, const Op& two) {
    Thread all{one};
    all.insert(all.end(), between.begin(), between.end());
    all.push_back(two);
    threads.push_back(all);
  };
  const auto put = [&](int location, int value) { return store(location, value, how.store); };
  const auto get = [&](int location) { return load(location, how.load); };
  Condition& weak = made.weak;
  if (shape.name == "mp") {
    thread(put(a, 1), put(b, 1));
    thread(get(b), get(a));
    weak = {{Observed::read(1, 0), Observed::read(1, second)}, {1, 0}};
  } else if (shape.name == "lb") {
    thread(get(a), put(b, 1));
    thread(get(b), put(a, 1));
    weak = {{Observed::read(0, 0), Observed::read(1, 0)}, {1, 1}};
  } else if (shape.name == "sb") {
    thread(put(a, 1), get(b));
    thread(put(b, 1), get(a));
    weak = {{Observed::read(0, second), Observed::read(1, second)}, {0, 0}};
  } else if (shape.name == "s") {
    thread(put(a, 2), put(b, 1));
    thread(get(b), put(a, 1));
    weak = {{Observed::read(1, 0), Observed::last(a)}, {1, 2}};
  } else if (shape.name == "r") {
    thread(put(a, 1), put(b, 1));
    thread(put(b, 2), get(a));
    weak = {{Observed::read(1, second), Observed::last(b)}, {0, 2}};
  } else if (shape.name == "2+2w") {
    thread(put(a, 1), put(b, 2));
    thread(put(b, 1), put(a, 2));
    weak = {{Observed::last(a), Observed::last(b)}, {1, 1}};
  } else if (shape.name == "iriw") {
    threads = {{put(a, 1)}, {put(b, 1)}};
    thread(get(a), get(b));
    thread(get(b), get(a));
    weak = {
        {Observed::read(2, 0), Observed::read(2, second), Observed::read(3, 0), Observed::read(3, second)},
        {1, 0, 1, 0}};
  } else {  // coherence
    made.program.initial = {0};
    thread(put(a, 1), put(a, 2));
    thread(get(a), get(a));
    weak = {{Observed::read(1, 0), Observed::read(1, second)}, {2, 1}};
  }
  return made;
}

}  // namespace ranklet::litmus
