// The shortest way through the synchronisation calls: see fast_rma.hpp.
//
// A call that is nothing but a memory fence is as fast as the stores before it are few, as the fence waits
// for them: so these store nothing of their own.
#pragma once

#include "api/entry/last_window.hpp"
#include "rma/active_target.hpp"

namespace ranklet::api::fast {

inline bool Win_sync(MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || window_->epoch() != Window::Epoch::lock_all) return false;
  if (window_->hints.full_sync) [[likely]]
    window_->shared().fence.full();
  else
    window_->shared().fence.order();
  return true;
}

// Whether the rank is a target to which a passive epoch is open.
inline bool is_passive(const Window& window, int rank) noexcept
{
  if (static_cast<unsigned>(rank) >= static_cast<unsigned>(window.size())) return false;
  if (window.epoch() == Window::Epoch::lock_all) [[likely]]
    return true;
  const rma::Access access = last_window.path(rank).access();
  return access == rma::Access::exclusive || access == rma::Access::shared;
}

inline bool Win_flush(int rank, MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || !is_passive(*window_, rank)) return false;
  window_->shared().fence.full();
  return true;
}

inline bool Win_flush_all(MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || window_->epoch() != Window::Epoch::lock_all) return false;
  window_->shared().fence.full();
  return true;
}

inline bool Win_flush_local(int rank, MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  return window_ && is_passive(*window_, rank);
}

inline bool Win_flush_local_all(MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  return window_ && window_->epoch() == Window::Epoch::lock_all;
}

// A lock that can be had at once; or none is taken, as the program says that it need not.
inline bool Win_lock(int lock_type, int rank, int assertion, MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_) return false;
  const bool exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
  const bool holds = assertion != MPI_MODE_NOCHECK;
  if ((!exclusive && lock_type != MPI_LOCK_SHARED) || (holds && assertion != 0)) return false;
  if (static_cast<unsigned>(rank) >= static_cast<unsigned>(window_->size())) return false;
  Window::Path& path = last_window.path(rank);
  if (window_->epoch() != Window::Epoch::none || window_->started.are_open() ||
      path.access() != rma::Access::none || !path.known)
    return false;
  if (holds) {
    rma::Target& target = last_window.target(rank);
    if (exclusive ? !target.lock.try_lock(path.ticket) : !target.lock.try_lock_shared()) return false;
  }
  path.holds = holds;
  path.set_access(exclusive ? rma::Access::exclusive : rma::Access::shared);
  path.open.set();
  return true;
}

inline bool Win_unlock(int rank, MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || static_cast<unsigned>(rank) >= static_cast<unsigned>(window_->size())) return false;
  Window::Path& path = last_window.path(rank);
  const bool exclusive = path.access() == rma::Access::exclusive;
  if (!exclusive && path.access() != rma::Access::shared) return false;
  path.open.reset();
  path.set_access(rma::Access::none);
  if (!path.holds) {
    window_->shared().fence.full();
    return true;
  }
  rma::Target& target = last_window.target(rank);
  if (!exclusive) {
    target.complete_and_leave_shared(window_->shared().fence);
    return true;
  }
  target.leave(path.ticket);
  return true;
}

// Locks of all targets that can be had at once.
inline bool Win_lock_all(int assertion, MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || assertion != 0 || window_->epoch() != Window::Epoch::none || window_->started.are_open() ||
      !window_->all_known())
    return false;
  const int size = window_->size();
  for (int i = 0; i < size; ++i)
    if (last_window.path(i).access() != rma::Access::none) return false;
  for (int i = 0; i < size; ++i) {
    if (last_window.target(i).lock.try_lock_shared()) [[likely]]
      continue;
    while (i-- > 0) last_window.target(i).leave_shared();
    return false;
  }
  window_->locked_all = true;
  window_->set_epoch(Window::Epoch::lock_all);
  return true;
}

inline bool Win_unlock_all(MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || window_->epoch() != Window::Epoch::lock_all) return false;
  window_->set_epoch(Window::Epoch::none);
  if (!window_->locked_all) {
    window_->shared().fence.full();
    return true;
  }
  // One fence, before the first.
  last_window.target(0).complete_and_leave_shared(window_->shared().fence);
  for (int i = 1, size = window_->size(); i < size; ++i) last_window.target(i).leave_shared();
  return true;
}

// From one fence to the next, where members look at each other. Others hear as early as can be that this one
// has come: whoever has not come himself is waited for in the long way.
inline bool Win_fence(int assertion, MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  constexpr int taken = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED;
  // In the epoch of a fence nothing is locked or started: both end it.
  if (!window_ || (assertion & ~taken) != 0 || window_->epoch() != Window::Epoch::fence ||
      !window_->fences_meet || window_->posted.are_open())
    return false;
  rma::come_to_fence(*window_);
  rma::end_fence_epoch(*window_);
  if (!rma::all_have_come_to_fence(*window_)) {
    window_->waits_in_fence = true;
    return false;
  }
  if ((assertion & MPI_MODE_NOSUCCEED) != 0) window_->set_epoch(Window::Epoch::none);
  return true;
}

// Epochs with the partners of the last ones.
inline bool are_chosen(const rma::Partners& partners, MPI_Group group) noexcept
{
  const GroupPtr* const found = last_window.state->groups.look_up(group);
  return found && partners.is_chosen(*found);
}

inline bool Win_post(MPI_Group group, int assertion, MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  constexpr int taken = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
  if (!window_ || (assertion & ~taken) != 0 || window_->posted.are_open() || window_->fence_used ||
      !are_chosen(window_->posted, group))
    return false;
  rma::let_in(*window_);
  return true;
}

// Where all targets have posted.
inline bool Win_start(MPI_Group group, int assertion, MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || (assertion & ~MPI_MODE_NOCHECK) != 0 || window_->epoch() != Window::Epoch::none ||
      window_->started.are_open() || !are_chosen(window_->started, group) || window_->holds_any_lock())
    return false;
  if (assertion == 0)
    for (const int target : window_->started.ranks())
      if (!window_->epoch_counts.has_posted_for_next(target)) return false;
  for (const int target : window_->started.ranks()) {
    window_->epoch_counts.start(target);
    rma::open_started(*window_, target);
  }
  window_->started.open();
  return true;
}

inline bool Win_complete(MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || !window_->started.are_open()) return false;
  rma::complete_started(*window_);
  return true;
}

// Where all origins have completed.
inline bool Win_wait(MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || !window_->posted.are_open() || !rma::all_have_completed(*window_)) return false;
  window_->posted.close();
  return true;
}

}  // namespace ranklet::api::fast
