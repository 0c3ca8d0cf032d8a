// The observers of calls that a job asks for: usage checks (--check), delays (--delays), and what a
// ThreadSanitizer of the program needs to know.
#pragma once

#include "ranks/ranks.hpp"

namespace ranklet::api {

// Gives them to every rank of a job. After api's extension.
Extension observers_extension() noexcept;

}  // namespace ranklet::api
