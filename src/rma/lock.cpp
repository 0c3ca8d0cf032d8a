// Passive target synchronisation (MPI 5.0 §12.5.3, §12.5.4).
#include "rma/assertion.hpp"
#include "rma/synchronize.hpp"

namespace ranklet::rma {

namespace {

// A lock protects loads and stores too, so it is held when the call returns.
void take(Window& window, Window::Path& path, Target& target, bool exclusive)
{
  if (exclusive) {
    path.ticket = target.lock.draw();
    wait_until(window.self(), target.sleepers(target.lock.number(path.ticket)),
               [&] { return target.lock.has_turn(path.ticket); });
  } else {
    const auto ticket = target.lock.draw_shared();
    wait_until(window.self(), target.sleepers(target.lock.number(ticket)),
               [&] { return target.lock.has_shared_turn(ticket); });
  }
}

// What completion at the target means for the origin: its later accesses, loads as well, come after it. So
// two origins that each complete an update and then read what the other one updates cannot both miss it;
// which takes a full fence (§12.5.4, and docs/memory-model.md).
void order_completion(Window& window)
{
  window.shared().fence.full();
}

}  // namespace

void lock(Window& window, bool exclusive, int rank, int assertion)
{
  check_assertion(assertion, nocheck);
  window.check_no_access("MPI_Win_lock");
  Window::Path& path = window.path(rank);
  if (path.access() != Access::none)
    fail(ErrorClass::rma_sync, "MPI_Win_lock of target rank %d, which is locked already", rank);
  if (window.epoch() != Window::Epoch::none)
    window.set_epoch(Window::Epoch::none);  // of a fence that nobody used
  window.know(rank);
  path.holds = !(assertion & nocheck);
  if (path.holds) take(window, path, window.target(rank), exclusive);
  path.set_access(exclusive ? Access::exclusive : Access::shared);
  path.open.set();
}

void unlock(Window& window, int rank)
{
  Window::Path& path = window.path(rank);
  const bool exclusive = path.access() == Access::exclusive;
  if (!exclusive && path.access() != Access::shared)
    fail(ErrorClass::rma_sync, "MPI_Win_unlock of target rank %d, which is not locked", rank);
  path.open.reset();
  path.set_access(Access::none);
  if (!path.holds) return order_completion(window);
  Target& target = window.target(rank);
  if (!exclusive) return target.complete_and_leave_shared(window.shared().fence);
  // An exclusive holder's accesses are ordered by the lock itself: a rank that sees or misses them holds it
  // before or after.
  target.leave(path.ticket);
}

void lock_all(Window& window, int assertion)
{
  check_assertion(assertion, nocheck);
  window.check_no_access("MPI_Win_lock_all");
  if (window.holds_any_lock()) fail(ErrorClass::rma_sync, "MPI_Win_lock_all while a lock is held");
  window.know_all();
  window.locked_all = !(assertion & nocheck);
  // In the order of ranks, so that those who lock all cannot wait for each other.
  if (window.locked_all)
    for (int i = 0; i < window.size(); ++i) take(window, window.path(i), window.target(i), false);
  window.set_epoch(Window::Epoch::lock_all);
}

void unlock_all(Window& window)
{
  if (window.epoch() != Window::Epoch::lock_all)
    fail(ErrorClass::rma_sync, "MPI_Win_unlock_all without MPI_Win_lock_all");
  window.set_epoch(Window::Epoch::none);
  if (!window.locked_all) return order_completion(window);
  // One fence, before the first.
  window.target(0).complete_and_leave_shared(window.shared().fence);
  for (int i = 1; i < window.size(); ++i) window.target(i).leave_shared();
}

void flush(Window& window, int rank)
{
  window.check_passive(rank);
  order_completion(window);
}

void flush_all(Window& window)
{
  window.check_passive();
  order_completion(window);
}

void flush_local(Window& window, int rank)
{
  window.check_passive(rank);
}

void flush_local_all(Window& window)
{
  window.check_passive();
}

void sync(Window& window)
{
  window.check_passive();
  if (window.hints.full_sync)
    window.shared().fence.full();
  else
    window.shared().fence.order();
}

}  // namespace ranklet::rma
