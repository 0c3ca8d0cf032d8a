// Which section of the standard an error is about.
#pragma once

#include <string>

#include "api/handles/functions.hpp"
#include "terms/error.hpp"

namespace ranklet::api {

// "MPI 5.0 §3.2.3", by the error's class, the parameter that its text begins with, and the function's
// chapter. Empty where no rule of the standard was broken (an errno, no memory), and where the text names the
// section.
std::string argument_rule(const FunctionInfo& function, const Error& error);

}  // namespace ranklet::api
