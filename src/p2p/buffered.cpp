#include "p2p/buffered.hpp"

#include "p2p/p2p.hpp"

namespace ranklet::p2p {

bool BufferAccount::charge(Count bytes) noexcept
{
  if (used_.add(bytes + buffer_overhead) > size_) {
    used_.add(-(bytes + buffer_overhead));
    return false;
  }
  references_.add(1);
  return true;
}

void BufferAccount::refund(Count bytes) noexcept
{
  used_.add(-(bytes + buffer_overhead));
  drop();
}

void BufferAccount::drop() noexcept
{
  // The last one sees that all others are through with it.
  if (references_.add(-1) == 0) delete this;
}

}  // namespace ranklet::p2p
