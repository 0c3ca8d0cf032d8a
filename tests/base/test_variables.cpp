#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/sanitized.hpp"
#include "base/source_line.hpp"
#include "base/variables.hpp"

using namespace ranklet;

namespace {

int global_array[5];

struct Pair {
  int first[3];
  double second;
};
Pair global_pair;

std::uintptr_t address_of(const volatile void* object)
{
  return reinterpret_cast<std::uintptr_t>(object);
}

// "array+4 of 20", or nothing.
std::string described(const volatile void* object)
{
  const std::optional<Variable> found = find_variable(address_of(object));
  if (!found) return "";
  return found->name + "+" + std::to_string(address_of(object) - found->begin) + " of " +
         std::to_string(found->size);
}

[[gnu::noinline]] std::string described_from_below(const volatile void* object)
{
  volatile int further[4] = {1, 2, 3, 4};
  std::string text = described(object);
  return further[0] == 1 ? text : "";
}

}  // namespace

TEST_CASE("variables with static storage are known by their symbols")
{
  if (sanitized) return;  // AddressSanitizer puts more behind them
  static double local[3];
  global_array[0] = 1;
  local[0] = 1;
  CHECK(described(&global_array[0]).ends_with("::global_array+0 of 20"));
  CHECK(described(&global_array[4]).ends_with("::global_array+16 of 20"));
  CHECK(described(&global_pair.second).ends_with("::global_pair+16 of 24"));
  CHECK(described(&local[2]).ends_with("+16 of 24"));
}

TEST_CASE("variables on the stack are known by debug information, in any frame")
{
  // AddressSanitizer has places of its own for them.
  if (sanitized || !source_line(reinterpret_cast<const void*>(&described_from_below))) return;
  volatile int array[7] = {};
  volatile double single = 0;
  CHECK(described(&array[0]) == "array+0 of 28");
  CHECK(described(&array[6]) == "array+24 of 28");
  CHECK(described(&single) == "single+0 of 8");
  {
    volatile Pair inner = {};
    CHECK(described(&inner.second) == "inner+16 of 24");
    CHECK(described_from_below(&inner.first[1]) == "inner+4 of 24");
  }
  CHECK(described_from_below(&array[1]) == "array+4 of 28");
}

TEST_CASE("of other memory nothing is known")
{
  const std::unique_ptr<int[]> heap(new int[10]);
  CHECK(described(heap.get()).empty());
  CHECK(described(nullptr).empty());
  CHECK(described(reinterpret_cast<const void*>(&std::malloc)).empty());
  const volatile int length = 9;
  auto* const variable = static_cast<int*>(__builtin_alloca(static_cast<std::size_t>(length) * sizeof(int)));
  variable[0] = 0;
  CHECK(described(variable).empty());
}
