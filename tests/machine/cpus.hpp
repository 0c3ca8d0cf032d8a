#pragma once

#include <initializer_list>

#include "machine/topology.hpp"

namespace ranklet::test {

inline CpuSet cpus(std::initializer_list<int> numbers)
{
  CpuSet set;
  for (const int number : numbers) set.add(number);
  return set;
}

}  // namespace ranklet::test
