// The text of a fatal error.
#pragma once

#include <string>

#include "api/entry/call.hpp"

namespace ranklet::api {

// One block of lines: the reason, the rule of the standard (may be empty), the call with its arguments, its
// subject (the line about its communicator or window; may be empty), the place in the user's source. `state`
// may be null.
std::string report_text(const Call& call, RankState* state, const std::string& subject,
                        const std::string& class_name, const std::string& reason,
                        const std::string& rule = "");
// The same in one line where the usage checks have said why: told_by is who has, "rank 3".
std::string reference_text(const Call& call, RankState& state, const std::string& class_name,
                           const std::string& told_by);

}  // namespace ranklet::api
