#include "ranks/foreign_start.hpp"

#include <cstdlib>

#include "base/config.hpp"

namespace ranklet {
namespace {

struct LauncherMark {
  const char* size;  // the variable that holds the number of processes
  const char* rank;  // one that must be there too
  const char* launcher;
};

// srun first: its plugins set the others' variables as well.
constexpr LauncherMark launcher_marks[] = {
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun"},
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's mpiexec"},
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "MVAPICH's mpiexec"},
    {"PMI_SIZE", "PMI_RANK", "the mpiexec of another MPI, such as MPICH or Intel MPI,"},
};

}  // namespace

std::string singleton_warning()
{
  const char* const processes = environment_variable("RANKLET_UNDER");
  if (processes == nullptr || std::string(processes) == "1") return "";
  return "this program was started under mpiexec -n " + std::string(processes) +
         " without RANKLET_HANDOVER, the variable by which it would have become a rank: it runs as " +
         processes + " separate jobs of one rank each";
}

std::string foreign_start()
{
  // Under our mpiexec, which sets others' variables for its ranks, and below its ranks.
  if (environment_variable("RANKLET_UNDER") != nullptr || environment_variable("RANKLET_RANK") != nullptr)
    return "";
  for (const LauncherMark& mark : launcher_marks) {
    const char* const size = environment_variable(mark.size);
    if (size != nullptr && environment_variable(mark.rank) != nullptr && std::atoi(size) > 1)
      return std::string(size) + " times by " + mark.launcher;
  }
  // PMIx tells no size.
  const char* const rank = environment_variable("PMIX_RANK");
  return rank != nullptr && std::atoi(rank) > 0 ? "several times by a launcher that speaks PMIx" : "";
}

ForeignLauncher foreign_launcher()
{
  const char* const text = environment_variable("RANKLET_FOREIGN_LAUNCHER");
  const std::string value = text != nullptr ? text : "";
  return value == "warn"    ? ForeignLauncher::warn
         : value == "allow" ? ForeignLauncher::allow
                            : ForeignLauncher::refuse;
}

}  // namespace ranklet
