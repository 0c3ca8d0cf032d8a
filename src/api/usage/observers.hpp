// The observers of calls that a job asks for: usage checks (--check), delays (--delays), and what tells a
// ThreadSanitizer of the program what MPI does.
#pragma once

#include "ranks/ranks.hpp"

namespace ranklet::api {

// What such jobs have for JobOptions::checks; null: nobody wants to know of messages. checks: --check.
const CheckHooks* call_hooks(bool checks) noexcept;
// Whether a job with these options is one of --check.
bool are_checked(const JobOptions& options) noexcept;

// The calling thread ends without leaving the calls that it is in.
void thread_ends() noexcept;

// Gives them to every rank of a job. After api's extension.
Extension observers_extension() noexcept;

}  // namespace ranklet::api
