// Jobs as the MPI library makes them: with the state of every layer.
#pragma once

#include <vector>

#include "base/info.hpp"
#include "ranks/ranks.hpp"

namespace ranklet::api {

// Of all layers, in the order of creation.
std::vector<Extension> extensions();

// Makes MPI_INFO_ENV of the rank tell how its program was started.
void describe_start(Rank& rank, const Info& start);

// The rank of a thread that belongs to none: in a program that was started without mpiexec every thread
// belongs to the one rank, which is made by the first call (MPI 5.0 §11.2.1, singleton initialization). Null
// in a process that hosts ranks, where such a thread is not the user's.
Rank* join_process();

}  // namespace ranklet::api
