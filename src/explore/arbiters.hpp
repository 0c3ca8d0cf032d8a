// Which arbiter a job has.
#pragma once

#include <memory>
#include <string>

#include "base/config.hpp"
#include "explore/delays.hpp"
#include "explore/script.hpp"
#include "ranks/arbiter.hpp"

namespace ranklet {

// Of a job of so many ranks, as --record, --replay or an exploration want it; null: none. checks: whether
// calls are checked. Errors: no_such_file, arg.
std::shared_ptr<Arbiter> make_arbiter(const Config& settings, int ranks, bool checks);

// What decides besides the program which choices a job has: "check,sends=buffer". For tokens.
std::string matching_modes(const Config& settings, bool checks);

// Throws Error{arg} if the token is of another kind of job.
void check_token(const Script& token, int ranks, const std::string& modes);

}  // namespace ranklet
