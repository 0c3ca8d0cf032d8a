// All executions of a program: which outcomes the C++ memory model allows.
#pragma once

#include <set>
#include <vector>

#include "litmus/axioms.hpp"

namespace ranklet::litmus {

struct Behaviour {
  std::set<std::vector<int>> outcomes;  // the values observed
  bool race = false;                    // some execution has a data race: then the program means nothing
  long candidates = 0, consistent = 0;
};

// Throws std::invalid_argument when the program has more than max_events operations and locations.
Behaviour explore(const Program& program, const std::vector<Observed>& observed,
                  ThinAir thin_air = ThinAir::dependencies);

enum class Verdict { forbidden, allowed, racy };

const char* name(Verdict verdict);

// racy: a data race in some execution, whatever the outcome.
Verdict verdict(const Program& program, const Condition& condition, ThinAir thin_air = ThinAir::dependencies);

}  // namespace ranklet::litmus
