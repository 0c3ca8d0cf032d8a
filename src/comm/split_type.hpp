// Splitting a communicator by what its members share (MPI 5.0 §7.4.2, MPI_Comm_split_type).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"

namespace ranklet::comm {

enum class SplitKind { shared, hw_guided, hw_unguided, resource_guided, none };

// `none` is for members that say MPI_UNDEFINED; all others give the same kind. `resource` is the value of the
// info key "mpi_hw_resource_type" (empty: not given): "mpi_shared_memory" or the name of a kind of hardware
// object, as hwloc spells it, with or without "hwloc://". A rank belongs to the object that holds all
// processors that its thread may run on, and gets null if there is none such.
CommRef split_type(Communicator& parent, SplitKind kind, int key, const std::string& resource);

// The kinds of hardware objects that the machine has, by names that split_type takes, and whether the calling
// thread stays in one of them (§9.1.4).
std::vector<std::pair<std::string, bool>> hardware_resources();

}  // namespace ranklet::comm
