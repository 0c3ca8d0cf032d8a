// The modules mpi and mpi_f08 are installed as the Fortran compiler wrote them that Ranklet was built with.
// Another one may not read them: for such mpifort makes them once, in the user's cache.
#pragma once

#include <string>
#include <vector>

#include "launch/install_paths.hpp"

namespace ranklet::launch {

struct FortranModules {
  std::string directory;  // empty: the installed ones do
  std::string sentence;   // for the user, if modules were made now or cannot be made
};

// What holds for a compiler is kept in the cache under what tells this compiler and this installation from
// others, so that only the first call asks the compiler. Without a cache the installed modules have to do.
FortranModules modules_for(const std::vector<std::string>& compiler, const InstallPaths& paths);

}  // namespace ranklet::launch
