// A file of its own: the host process chooses the policy but contains no job (hosting.hpp).
#include "machine/wait_policy.hpp"

#include <algorithm>

namespace ranklet {

WaitPolicy WaitPolicy::automatic(int ranks, int cores) noexcept
{
  WaitPolicy policy;
  if (ranks > cores) {
    policy.spins = 0;
    policy.yields = 50;
    policy.longest_yield = std::max(policy.longest_yield, std::chrono::microseconds{6 * ranks / cores});
  }
  return policy;
}

}  // namespace ranklet
