#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "ranks/foreign_start.hpp"

using namespace ranklet;

TEST_CASE("a program below a script that mpiexec runs several times is told so")
{
  ::unsetenv("RANKLET_UNDER");
  CHECK(singleton_warning().empty());
  ::setenv("RANKLET_UNDER", "1", 1);
  CHECK(singleton_warning().empty());
  ::setenv("RANKLET_UNDER", "4", 1);
  CHECK(singleton_warning().find("4 separate jobs of one rank") != std::string::npos);
  ::unsetenv("RANKLET_UNDER");
}

namespace {

// Variables for one case.
struct Environment {
  explicit Environment(std::vector<std::string> entries)
  {
    for (const std::string& entry : entries) {
      const std::size_t equals = entry.find('=');
      names.push_back(entry.substr(0, equals));
      ::setenv(names.back().c_str(), entry.c_str() + equals + 1, 1);
    }
  }
  ~Environment()
  {
    for (const std::string& name : names) ::unsetenv(name.c_str());
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  std::vector<std::string> names;
};

}  // namespace

TEST_CASE("several processes of another launcher are told from a shell in an allocation")
{
  const auto start_with = [](std::vector<std::string> entries) {
    const Environment environment(std::move(entries));
    return foreign_start();
  };
  CHECK(start_with({}).empty());
  CHECK(start_with({"PMI_SIZE=2", "PMI_RANK=0"}).starts_with("2 times by the mpiexec of another MPI"));
  CHECK(start_with({"PMI_SIZE=1", "PMI_RANK=0"}).empty());
  CHECK(start_with({"OMPI_COMM_WORLD_SIZE=3", "OMPI_COMM_WORLD_RANK=2"}) == "3 times by Open MPI's mpiexec");
  CHECK(start_with({"PMIX_RANK=1"}) == "several times by a launcher that speaks PMIx");
  CHECK(start_with({"PMIX_RANK=0"}).empty());
  const std::vector<std::string> batch = {"SLURM_JOB_ID=7", "SLURM_NTASKS=4", "SLURM_PROCID=0",
                                          "SLURM_NPROCS=4"};
  CHECK(start_with(batch).empty());
  std::vector<std::string> step = batch;
  step.insert(step.end(), {"SLURM_STEP_ID=0", "SLURM_STEPID=0", "SLURM_STEP_NUM_TASKS=4"});
  CHECK(start_with(step) == "4 times by srun");
  step.back() = "SLURM_STEP_NUM_TASKS=1";  // salloc's shell, srun -n 1 --pty bash
  CHECK(start_with(step).empty());
  CHECK(start_with({"PMI_SIZE=2", "PMI_RANK=0", "RANKLET_RANK=0"}).empty());
  CHECK(start_with({"PMI_SIZE=2", "PMI_RANK=0", "RANKLET_UNDER=2"}).empty());
}
