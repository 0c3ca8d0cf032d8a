// A program that was started without mpiexec runs as one rank.
#pragma once

#include <string>

namespace ranklet {

// What to tell the user when such a program calls MPI_Init, empty if nothing is wrong. mpiexec marks the
// processes that it starts for a script; an MPI program inside becomes a rank (src/handover) unless it was
// kept from that, which is rarely what was meant.
std::string singleton_warning();

// The launcher that has started this process several times, and how often: "4 times by srun". Empty if it was
// started once, or by our mpiexec.
//
// A shell or a batch script inside an allocation of Slurm has SLURM_NTASKS, too, and may run a program alone:
// only srun gives its processes the number of the step's tasks. The step of salloc's shell has one.
std::string foreign_start();

// What MPI_Init does then: the setting of that name.
enum class ForeignLauncher { refuse, warn, allow };
ForeignLauncher foreign_launcher();

}  // namespace ranklet
