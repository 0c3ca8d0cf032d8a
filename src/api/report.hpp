// The text of a fatal error.
#pragma once

#include <string>

#include "api/call.hpp"

namespace ranklet::api {

// One block of lines: the call with its arguments, the communicator, the reason, the place in the user's
// source. `state` and `comm` may be null.
std::string report_text(const Call& call, RankState* state, const Communicator* comm,
                        const std::string& comm_name, const std::string& class_name,
                        const std::string& reason);

}  // namespace ranklet::api
