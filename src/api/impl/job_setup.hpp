// Jobs as the MPI library makes them: with the state of every layer.
#pragma once

#include <memory>
#include <vector>

#include "base/config.hpp"
#include "ranks/ranks.hpp"
#include "terms/info.hpp"

namespace ranklet::api {

// Of all layers, in the order of creation.
std::vector<Extension> extensions();

// What the settings say of a job's portability; and its arbiter, with what that needs. arbiter may be null.
void apply_modes(JobOptions& options, const Config& settings = config());
void set_arbiter(JobOptions& options, std::shared_ptr<Arbiter> arbiter);

// Makes MPI_INFO_ENV of the rank tell how its program was started.
void describe_start(Rank& rank, const Info& start);

// MPI_Init_thread, for the program.
void start_world(Rank& rank, ThreadLevel level);

// Whether this process is mpiexec's, whose ranks have private images.
bool hosts_ranks() noexcept;

// Before MPI starts in a rank. Throws Error if the process is one of several that another MPI's launcher has
// started, as none of them would know of the others.
void check_start(const Rank& rank);

}  // namespace ranklet::api
