// A program that was started without mpiexec runs as one rank.
#pragma once

#include <string>

#include "base/config.hpp"

namespace ranklet {

// What to tell the user when such a program calls MPI_Init, empty if nothing is wrong. mpiexec marks the processes that
// it starts for a script; an MPI program inside it does not become part of a job, which is rarely what was meant.
inline std::string singleton_warning()
{
  const char* const processes = environment_variable("RANKLET_UNDER");
  if (processes == nullptr || std::string(processes) == "1") return "";
  return "this program was started by a script or another program under mpiexec -n " + std::string(processes) +
         ": it runs as " + processes + " separate jobs of one rank each; start mpiexec inside the script instead";
}

}  // namespace ranklet
