#include "p2p/buffered.hpp"

namespace ranklet::p2p {

namespace {

// What a message is charged beyond its data. MPI_BSEND_OVERHEAD is an upper bound (§3.6); the model of §3.6.1
// needs a pointer and a few words, and programs exist that count on no more.
constexpr Count header = 32;

}  // namespace

bool BufferAccount::charge(Count bytes) noexcept
{
  if (used_.add(bytes + header) > size_) {
    used_.add(-(bytes + header));
    return false;
  }
  references_.add(1);
  return true;
}

void BufferAccount::refund(Count bytes) noexcept
{
  used_.add(-(bytes + header));
  drop();
}

void BufferAccount::drop() noexcept
{
  // The last one sees that all others are through with it.
  if (references_.add(-1) == 0) delete this;
}

}  // namespace ranklet::p2p
