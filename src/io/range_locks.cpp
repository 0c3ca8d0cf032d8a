#include "io/range_locks.hpp"

#include <algorithm>

namespace ranklet::io {

// Fair: one waits for all that came before and conflict, whether they hold or wait.
RangeLocks::Hold::Hold(RangeLocks& locks, Count begin, Count end, bool exclusive) : locks_(locks)
{
  MutexHolder lock(locks_.mutex_);
  place_ = locks_.ranges_.insert(locks_.ranges_.end(), Range{begin, end, exclusive});
  const auto conflicts = [&](const Range& other) {
    return (exclusive || other.exclusive) && other.begin < end && begin < other.end;
  };
  while (std::any_of(locks_.ranges_.begin(), place_, conflicts)) lock.wait(locks_.changed_);
}

RangeLocks::Hold::~Hold()
{
  {
    const Holder guard(locks_.mutex_);
    locks_.ranges_.erase(place_);
  }
  locks_.changed_.notify_all();
}

}  // namespace ranklet::io
