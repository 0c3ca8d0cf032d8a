// A file of its own: the host process chooses the policy but contains no job (hosting.hpp).
#include "machine/wait_policy.hpp"

namespace ranklet {

WaitPolicy WaitPolicy::automatic(int ranks, int cores) noexcept
{
  WaitPolicy policy;
  // A quarter of a millisecond: long enough that a rank which another process keeps from its core for a slice
  // of time seldom finds the other one asleep, and not so long that threads of one rank wait much for each
  // other's core.
  policy.spins = 5000;
  if (ranks > cores) {
    policy.spins = 0;
    policy.yields = 50;
  }
  return policy;
}

}  // namespace ranklet
