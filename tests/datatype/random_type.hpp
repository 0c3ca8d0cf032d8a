// Random datatypes together with their references.
#pragma once

#include "datatype/datatype.hpp"
#include "datatype/reference.hpp"

namespace reference {

struct Both {
  ranklet::Ref<ranklet::Datatype> real;
  Type plain;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  Count operator()(Count low, Count high) { return std::uniform_int_distribution<Count>(low, high)(engine_); }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

// Up to `depth` constructors on top of each other. Anything that is legal in a send: overlapping, negative
// strides.
Both random_type(Random& random, int depth);

// A type with the given type signature whose parts do not overlap, as a receive needs it.
Both random_receiver(Random& random, const std::vector<Basic>& signature);

}  // namespace reference
