#include "coll/coll.hpp"
#include "rma/assertion.hpp"
#include "rma/synchronize.hpp"

namespace ranklet::rma {

void fence(Window& window, int assertion)
{
  check_assertion(assertion, nostore | noput | noprecede | nosucceed);
  if (window.epoch() == Window::Epoch::lock_all || window.holds_any_lock())
    fail(ErrorClass::rma_sync, "MPI_Win_fence inside a passive target epoch");
  if (window.started.are_open())
    fail(ErrorClass::rma_sync, "MPI_Win_fence between MPI_Win_start and MPI_Win_complete");
  if (window.posted.are_open())
    fail(ErrorClass::rma_sync, "MPI_Win_fence between MPI_Win_post and MPI_Win_wait");
  if (window.fence_used) {
    if (assertion & noprecede)
      fail(ErrorClass::assert, "MPI_MODE_NOPRECEDE, but operations were made since the last fence");
    for (int i = 0; i < window.size(); ++i) {
      if (!window.path(i).open.is_set()) continue;
      window.path(i).open.reset();
      window.path(i).set_access(Access::none);
    }
    window.fence_used = false;
  }
  if (assertion & noprecede) {
    // The release publishes this member's accesses so far; it pairs with the acquire in Window::open_late().
    // The assertion is given by all or none (§12.5.5), so all count alike.
    Target& own = window.own();
    own.unwaited_fences.publish(++window.fences);
    own.fence_parking.notify();
  } else {
    // Each member's coming is a release store that every other one reads with acquire.
    coll::barrier(window.comm());
  }
  window.set_epoch(assertion & nosucceed ? Window::Epoch::none : Window::Epoch::fence);
}

}  // namespace ranklet::rma
