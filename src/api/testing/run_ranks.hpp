// ranklet::run as other parts of the interface use it.
#pragma once

#include <cstdint>
#include <memory>

#include <ranklet/run.hpp>

#include "ranks/arbiter.hpp"

namespace ranklet::api {

// Throws std::logic_error unless the program's headers are this library's.
void check_layout(std::uint64_t of_program, std::uint64_t own);

// arbiter: of the run's open choices, or null.
Report run_ranks(int ranks, ranklet::detail::Body body, void* closure, const Options& options,
                 std::shared_ptr<Arbiter> arbiter);

}  // namespace ranklet::api
