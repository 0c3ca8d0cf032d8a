// ranklet::run as other parts of the interface use it.
#pragma once

#include <cstdint>
#include <memory>

#include <ranklet/run.hpp>

#include "base/config.hpp"
#include "ranks/arbiter.hpp"

namespace ranklet::api {

// Throws std::logic_error unless the program's headers are this library's.
void check_layout(std::uint64_t of_program, std::uint64_t own);

// arbiter: of the run's open choices, or null. settings: of its portability modes. Once, whatever the options
// say of other ways.
Report run_ranks(int ranks, ranklet::detail::Body body, void* closure, const Options& options,
                 std::shared_ptr<Arbiter> arbiter, const Config& settings = config());

// Options::every_way.
Report run_every_way(int ranks, ranklet::detail::Body body, void* closure, const Options& options);

}  // namespace ranklet::api
