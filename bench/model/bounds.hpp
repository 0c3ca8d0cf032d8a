// What collectives take at least on a machine, by two sorts of algorithms: a flat one, in which each member
// hears from each other one itself, and a tree that follows the machine, with a hop from step to step. Work
// of cores is left out.
#pragma once

#include "machine.hpp"

namespace ranklet::model {

struct Bounds {
  double flat, tree;  // nanoseconds
};

// All must have heard of all: barriers, small reductions.
Bounds synchronising(const Machine& machine, int ranks);
// One line goes to all.
Bounds spreading(const Machine& machine, int ranks);
// 8 bytes of each go to all.
Bounds gathering(const Machine& machine, int ranks);
// 16 KiB from one to all; of all, reduced; 1 KiB of each to all.
Bounds large_bcast(const Machine& machine, int ranks);
Bounds large_allreduce(const Machine& machine, int ranks);
Bounds large_allgather(const Machine& machine, int ranks);

// 2 to 256 cores: L3s of eight cores, from 32 cores on two of them in a NUMA domain, from 128 on two
// packages.
std::string usual_topology(int cores);

}  // namespace ranklet::model
