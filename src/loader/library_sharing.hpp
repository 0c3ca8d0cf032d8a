// Which libraries all ranks share with the host.
#pragma once

#include <string>
#include <vector>

namespace ranklet::loader {

// Private copies have no soname, so only the host's own libraries are found.
bool is_loaded(const std::string& soname);

// Whatever file a name of the MPI library leads to: ranks use the one that the host has, so that all of a
// job, and a program and its libraries, use one.
bool is_mpi_library_of_host(const std::string& name);

// asked_for: libraries that the user wants to be shared.
bool is_shared(const std::string& soname, const std::vector<std::string>& asked_for);

}  // namespace ranklet::loader
