// Where Ranklet's own parts lie: found from where this executable lies, so that an installation can be moved.
#pragma once

#include <string>
#include <vector>

namespace ranklet::launch {

struct InstallPaths {
  std::string host;                       // ranklet-host
  std::string heap;                       // ranklet-heap.so, for checked jobs
  std::vector<std::string> include_dirs;  // with mpi.h and ranklet/*.hpp
  std::string library_dir;                // with libmpi_abi.so
  std::string fortran_include_dir;        // with mpif.h and the modules
  std::string fortran_library_dir;        // with libmpifort_abi.so, if Ranklet was built with Fortran
  std::vector<std::string> flags;         // for compiler and linker: sanitizers of this build
};

// In a build directory the file ranklet-build-tree beside the executable holds the paths.
InstallPaths install_paths();

// The directory of this executable, symbolic links resolved.
std::string own_directory();

// Where a program lies that is installed beside ranklet-host; the host itself asks, too.
std::string program_beside_host(const std::string& name);

// A path without "." and "..", by text only.
std::string normal_path(const std::string& path);

}  // namespace ranklet::launch
