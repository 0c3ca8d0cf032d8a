// How a program was started, as MPI_INFO_ENV tells it (MPI 5.0 §11.2.2).
#pragma once

#include <span>
#include <string>

#include "terms/info.hpp"

namespace ranklet {

// `arguments` begin with the command; `processes` run the program. What is too long for an info value is cut.
Info start_info(std::span<const std::string> arguments, const std::string& directory, int processes);

// Of this process: for a program that was started without mpiexec.
Info start_info_of_process();

}  // namespace ranklet
