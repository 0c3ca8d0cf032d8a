// The memory model of C++20 ([intro.races], [atomics.order], [atomics.fences]) for one candidate execution: a
// program's events, from which write each read takes its value, and in which order the writes of each
// location took effect.
#pragma once

#include <vector>

#include "litmus/program.hpp"
#include "litmus/relation.hpp"

namespace ranklet::litmus {

// Values out of thin air. The standard only says that implementations should not make them
// ([atomics.order]/8). `dependencies`: no cycle of reads and data dependencies, so a value comes from
// somewhere, but relaxed load buffering is allowed, as C++ allows it. `program_order`: no cycle of reads and
// program order, which RC11 asks and which forbids load buffering altogether. What the rules promise must
// hold without that help, so `dependencies` is what the table is judged by.
enum class ThinAir { dependencies, program_order };

struct Event {
  Op op;
  int thread;  // -1: the initial write of its location
  int index;   // in its thread
};

struct Execution {
  std::vector<Event> events;                         // the initial write of location l is event l
  std::vector<int> reads_from;                       // of each event that reads; -1 for others
  std::vector<std::vector<int>> modification_order;  // of each location: its writes, the initial one first
};

struct Judgement {
  bool consistent = false;
  bool race = false;  // two conflicting accesses, not both atomic, neither of which happens before the other
};

// The caller has seen to it that reads and writes agree on values, and that an update reads the write just
// before it in the modification order.
Judgement judge(const Execution& execution, ThinAir thin_air);

}  // namespace ranklet::litmus
