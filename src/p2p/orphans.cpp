#include "p2p/orphans.hpp"

#include <algorithm>
#include <utility>

namespace ranklet::p2p {

void Orphans::add(Request& request, CommRef comm)
{
  const Section guard(rank_, lock_);
  orphans_.push_back({&request, std::move(comm)});
  // Twice as many as were left by the last sweep: its cost is shared by as many calls.
  if (orphans_.size() >= next_sweep_ || request.complete()) sweep();
}

bool Orphans::advance()
{
  const Section guard(rank_, lock_);
  sweep();
  return !orphans_.empty();
}

bool Orphans::ready_to_advance()
{
  const Section guard(rank_, lock_);
  return std::any_of(orphans_.begin(), orphans_.end(), [](const Orphan& orphan) {
    return orphan.request->complete() || orphan.request->ready_to_advance();
  });
}

std::vector<LateError> Orphans::take_errors()
{
  const Section guard(rank_, lock_);
  // Noted after the receive was finished, so the sweep finds it complete.
  noted_.add(-noted_.value());
  sweep();
  return std::exchange(errors_, {});
}

void Orphans::sweep()
{
  std::erase_if(orphans_, [&](Orphan& orphan) RANKLET_REQUIRES(lock_) {
    Request& request = *orphan.request;
    if (!request.advance()) return false;
    const ErrorClass error = request.reap(nullptr);
    if (error != ErrorClass::success) {
      errors_.push_back({std::move(orphan.comm), request.failure(error)});
      noted_.add(1);
    }
    request.release();
    return true;
  });
  next_sweep_ = std::max<std::size_t>(16, 2 * orphans_.size());
}

}  // namespace ranklet::p2p
