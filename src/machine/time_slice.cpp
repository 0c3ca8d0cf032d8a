#include "machine/time_slice.hpp"

#include <cstdint>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ranklet {

namespace {

// sched_setattr(2)'s: the C library has neither the call nor the type.
struct Attributes {
  std::uint32_t size, policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime, deadline, period;  // ns; runtime: the slice of a thread of a policy of shares
};

constexpr std::uint64_t shortest_slice = 100'000;  // the kernel takes no less

bool get(Attributes& attributes)
{
  return ::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0;
}

}  // namespace

bool take_short_slices() noexcept
{
  Attributes attributes{};
  if (!get(attributes) || (attributes.policy != SCHED_OTHER && attributes.policy != SCHED_BATCH))
    return false;
  attributes.runtime = shortest_slice;
  return ::syscall(SYS_sched_setattr, 0, &attributes, 0) == 0 && get(attributes) &&
         attributes.runtime == shortest_slice;
}

}  // namespace ranklet
