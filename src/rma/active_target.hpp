// The steps of active target synchronisation (MPI 5.0 §12.5.1, §12.5.2) that wait for nobody: what its short
// and its long way have in common. The caller has found that the call fits the epochs that are open.
//
// Thread safety: as for Window.
#pragma once

#include "rma/window.hpp"

namespace ranklet::rma {

// The member has come to its next fence. Release: its accesses so far come before what those do who see it.
inline void come_to_fence(Window& window)
{
  window.shared().fences.come(window.rank(), ++window.fences);
}
// Acquire: pairs with the release in come_to_fence().
inline bool has_come_to_fence(const Window& window, int member)
{
  return window.shared().fences.has_come(member, window.fences);
}
inline bool all_have_come_to_fence(const Window& window)
{
  for (int i = 0; i < window.size(); ++i)
    if (!has_come_to_fence(window, i)) return false;
  return true;
}
// Ends the epoch of the last fence for this member, whose operations are complete.
inline void end_fence_epoch(Window& window)
{
  if (!window.fence_used) return;
  for (int i = 0; i < window.size(); ++i) {
    Window::Path& path = window.path(i);
    if (!path.open.is_set()) continue;
    path.open.reset();
    path.set_access(Access::none);
  }
  window.fence_used = false;
}

// MPI_Win_post for the origins that are chosen.
inline void let_in(Window& window)
{
  for (const int origin : window.posted.ranks()) {
    window.epoch_counts.post(origin);
    window.comm().peer(origin).parking.notify();
  }
  window.posted.open();
}
// Whether every origin of the exposure has completed as many epochs as it was exposed to.
inline bool all_have_completed(Window& window)
{
  for (const int origin : window.posted.ranks())
    if (!window.epoch_counts.has_completed(origin)) return false;
  return true;
}

// MPI_Win_start at a target that has posted, or is said to have.
inline void open_started(Window& window, int target)
{
  window.know(target).set_access(Access::started);
  window.path(target).open.set();
}
inline void complete_started(Window& window)
{
  for (const int target : window.started.ranks()) {
    window.path(target).open.reset();
    window.path(target).set_access(Access::none);
    window.epoch_counts.complete(target);
    window.comm().peer(target).parking.notify();
  }
  window.started.close();
}

}  // namespace ranklet::rma
