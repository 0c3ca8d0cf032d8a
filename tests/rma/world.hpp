// Ranks with one communicator over all of them, for the tests of this folder.
#pragma once

#include <functional>

#include "base/sanitized.hpp"
#include "rma/rma.hpp"
#include "support/members.hpp"

namespace ranklet::test {

inline constexpr int rounds = sanitized ? 200 : 2000;

inline void on_ranks(int n, const std::function<void(Communicator&)>& body,
                     ThreadLevel level = ThreadLevel::single)
{
  JobOptions options;
  options.wait = WaitPolicy::automatic(n, 2);
  Job job(n, options);
  run_members(job, level, Initialized::yes, body);
}

}  // namespace ranklet::test
