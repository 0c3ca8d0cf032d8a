#include "io/range_locks.hpp"

#include <algorithm>

namespace ranklet::io {

// Fair: one waits for all that came before and conflict, whether they hold or wait.
RangeLocks::Hold::Hold(RangeLocks& locks, Count begin, Count end, bool exclusive) : locks_(locks)
{
  std::unique_lock lock(locks_.mutex_);
  place_ = locks_.ranges_.insert(locks_.ranges_.end(), Range{begin, end, exclusive});
  const auto conflicts = [&](const Range& other) {
    return (exclusive || other.exclusive) && other.begin < end && begin < other.end;
  };
  locks_.changed_.wait(lock, [&] { return std::none_of(locks_.ranges_.begin(), place_, conflicts); });
}

RangeLocks::Hold::~Hold()
{
  {
    const std::lock_guard guard(locks_.mutex_);
    locks_.ranges_.erase(place_);
  }
  locks_.changed_.notify_all();
}

}  // namespace ranklet::io
