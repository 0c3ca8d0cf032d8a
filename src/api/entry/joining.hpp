// How a thread without a rank gets one.
#pragma once

namespace ranklet {

class Rank;

namespace api {

// The rank of a thread that belongs to none: in a program that was started without mpiexec every thread
// belongs to the one rank, which is made by the first call (MPI 5.0 §11.2.1, singleton initialization). Null
// in a process that hosts ranks, where such a thread is not the user's.
//
// Defined in impl/job_setup.cpp: a job is made of the state of every layer, also of those above the entry.
Rank* join_process();

}  // namespace api
}  // namespace ranklet
