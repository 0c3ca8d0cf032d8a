// MPI_Win_fence (MPI 5.0 §12.5.1).
#include "coll/coll.hpp"
#include "members/rounds.hpp"
#include "rma/active_target.hpp"
#include "rma/assertion.hpp"
#include "rma/synchronize.hpp"

namespace ranklet::rma {

namespace {

void check_epochs(const Window& window, int assertion)
{
  if (window.epoch() == Window::Epoch::lock_all || window.holds_any_lock())
    fail(ErrorClass::rma_sync, "MPI_Win_fence inside a passive target epoch");
  if (window.started.are_open())
    fail(ErrorClass::rma_sync, "MPI_Win_fence between MPI_Win_start and MPI_Win_complete");
  if (window.posted.are_open())
    fail(ErrorClass::rma_sync, "MPI_Win_fence between MPI_Win_post and MPI_Win_wait");
  if (window.fence_used && (assertion & noprecede))
    fail(ErrorClass::assert, "MPI_MODE_NOPRECEDE, but operations were made since the last fence");
}

// Until all others have come to the fence.
void await_others(Window& window)
{
  members::each_from(window.rank(), window.size(), [&](int member) {
    if (has_come_to_fence(window, member)) return;
    wait_until(window.self(), window.shared().fences.parking(member),
               [&] { return has_come_to_fence(window, member); });
  });
}

}  // namespace

void fence(Window& window, int assertion)
{
  // The short way has come to the fence where others had not, and leaves the waiting to us.
  const bool has_come = std::exchange(window.waits_in_fence, false);
  if (!has_come) {
    check_assertion(assertion, nostore | noput | noprecede | nosucceed);
    check_epochs(window, assertion);
  }
  // The assertion is given by all or none (§12.5.5), so all count alike.
  if (!has_come && (window.fences_meet || (assertion & noprecede))) come_to_fence(window);
  end_fence_epoch(window);
  // With MPI_MODE_NOPRECEDE nobody waits here: Window::open_late() does.
  if (!(assertion & noprecede)) {
    if (window.fences_meet)
      await_others(window);
    else
      coll::barrier(window.comm());
  }
  window.set_epoch(assertion & nosucceed ? Window::Epoch::none : Window::Epoch::fence);
}

}  // namespace ranklet::rma
