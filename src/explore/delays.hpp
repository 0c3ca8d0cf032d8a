// Random delays of a rank's calls (--delays): other orders of events than the machine would give.
#pragma once

#include <cstdint>

#include "memmodel/memmodel.hpp"

namespace ranklet {

// Thread safety: any threads of the rank. The n-th delay of a rank follows from the seed, the rank and n.
class Delays {
 public:
  Delays(std::uint64_t seed, int rank) noexcept;

  // Mostly nothing, at times a yield, rarely a sleep of up to half a millisecond.
  void next() noexcept;
  // What next() would do as the n-th: microseconds to sleep, 0 for nothing, -1 for a yield.
  int plan(std::uint64_t n) const noexcept;

 private:
  const std::uint64_t start_;
  memmodel::Counter<> calls_;
};

}  // namespace ranklet
