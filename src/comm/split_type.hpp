// Splitting a communicator by what its members share (MPI 5.0 §7.4.2, MPI_Comm_split_type).
#pragma once

#include <string>

#include "comm/communicator.hpp"

namespace ranklet::comm {

enum class SplitKind { shared, hw_guided, hw_unguided, resource_guided, none };

// `none` is for members that say MPI_UNDEFINED; all others give the same kind. `resource` is the value of the
// info key "mpi_hw_resource_type" (empty: not given): "mpi_shared_memory" or the name of a kind of hardware
// object, as hwloc spells it, with or without "hwloc://". A rank belongs to the object that holds all
// processors that its thread may run on, and gets null if there is none such.
CommRef split_type(Communicator& parent, SplitKind kind, int key, const std::string& resource);

}  // namespace ranklet::comm
