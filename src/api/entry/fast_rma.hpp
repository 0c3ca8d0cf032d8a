// The shortest way through one-sided calls: what most programs do, in the entry point itself, without the
// note that reports need. Nothing here waits, fails or calls the program back. False: nothing has been done,
// and the call goes the long way.
//
// They call nothing either, so that the entry point, into which they are inlined, saves no registers.
//
// A call that is nothing but a fence is as fast as the stores before it are few, as the fence waits for them:
// so these store nothing of their own.
#pragma once

#include "api/entry/checks.hpp"
#include "api/handles/rank_state.hpp"
#include "rma/element_ops.hpp"

namespace ranklet::api::fast {

// Where the call was made that goes the long way.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local const void* call_site = nullptr;

// The window that the thread has used last, and by which rank. A chain of loads that depend on each other is
// most of a short call, after a fence above all: so what a call needs of the window and its rank is copied
// here.
struct LastWindow {
  MPI_Win handle = nullptr;
  Window* window = nullptr;
  RankState* state = nullptr;
  std::uint64_t binding = ~std::uint64_t{0};  // of the thread to its rank; this one is none
  std::int64_t retired = 0;                   // windows of the rank
  Window::Path* paths = nullptr;
  rma::Target* targets = nullptr;
  memmodel::Gate<>::Passer* passer = nullptr;
  bool concurrent = false;  // the rank

  Window::Path& path(int rank) const noexcept { return paths[static_cast<std::size_t>(rank)]; }
  rma::Target& target(int rank) const noexcept { return targets[static_cast<std::size_t>(rank)]; }
};
[[gnu::tls_model("initial-exec")]] inline constinit thread_local LastWindow last_window;

// The long way has used the window: the next calls find it, until MPI ends or any window is freed.
inline void remember(RankState& state, MPI_Win win) noexcept
{
  if (!state.direct) return;
  Window** const found = state.wins.look_up(win);
  if (!found) return;
  last_window = {win,
                 *found,
                 &state,
                 ranklet::detail::bindings,
                 state.wins.retired(),
                 &(*found)->path(0),
                 &(*found)->target(0),
                 &(*found)->own().passer,
                 state.rank.concurrent()};
}

inline Window* window(MPI_Win win) noexcept
{
  const LastWindow& last = last_window;
  return last.handle == win && last.binding == ranklet::detail::bindings &&
                 last.retired == last.state->wins.retired()
             ? last.window
             : nullptr;
}

// A type whose elements are words; `bytes` is 0 for others.
inline RankState::Word word(MPI_Datatype datatype) noexcept
{
  const std::uintptr_t index = handle_value(datatype) - TypeHandle::first;
  return index < TypeHandle::count ? last_window.state->words[index] : RankState::Word{};
}

// Where a word of the target is; null if it cannot be reached in this way.
inline char* place(const Window& window, int target, Count disp, Count bytes) noexcept
{
  if (static_cast<unsigned>(target) >= static_cast<unsigned>(window.size())) return nullptr;
  char* const at = window.find(last_window.path(target), disp, bytes);
  return rma::is_aligned(at, bytes) ? at : nullptr;
}

// --- synchronisation

inline bool Win_sync(MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || window_->epoch() != Window::Epoch::lock_all || !window_->hints.full_sync) return false;
  window_->shared().fence.full();
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

inline void leave_shared(rma::Target& target) noexcept
{
  target.lock.leave_shared();
  target.lock_parking.notify();
}
// The same with the fence that completes operations before it, as MPI_Win_unlock asks for.
inline void complete_and_leave_shared(Window& window, rma::Target& target) noexcept
{
  window.shared().fence.full_before_leaving(target.lock);
  target.lock_parking.notify();
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
    complete_and_leave_shared(*window_, target);
    return true;
  }
  target.lock.leave(path.ticket);
  target.lock_parking.notify();
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
    while (i-- > 0) leave_shared(last_window.target(i));
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
  complete_and_leave_shared(*window_, last_window.target(0));
  for (int i = 1, size = window_->size(); i < size; ++i) leave_shared(last_window.target(i));
  return true;
}

// --- one element of a predefined type that is a word; for those calls that describe it twice, alike

// Between the origin and a target, both described alike.
inline bool move(void* origin, MPI_Datatype datatype, int target_rank, Count target_disp, MPI_Win win,
                 bool to_target) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || is_constant_address(origin)) return false;
  const Count bytes = word(datatype).bytes;
  if (bytes == 0) return false;
  char* const at = place(*window_, target_rank, target_disp, bytes);
  if (!at) return false;
  return rma::with_word(bytes, [&]<class T>(T) {
    if (to_target)
      rma::move_element<T>(origin, at, true);
    else
      rma::move_element<T>(at, origin, false);
  });
}

inline bool Put(const void* origin_addr, int target_rank, Count target_disp, MPI_Datatype target_datatype,
                MPI_Win win) noexcept
{
  return move(const_cast<void*>(origin_addr), target_datatype, target_rank, target_disp, win, true);
}

inline bool Get(void* origin_addr, int target_rank, Count target_disp, MPI_Datatype target_datatype,
                MPI_Win win) noexcept
{
  return move(origin_addr, target_datatype, target_rank, target_disp, win, false);
}

// Lets how() change one element of the target by an atomic instruction, unless many change there at once.
template <class Change>
inline bool change(int target, Change&& how) noexcept
{
  memmodel::Gate<>& gate = last_window.target(target).accumulate_gate;
  memmodel::Gate<>::Passer& me = *last_window.passer;
  const bool shared = last_window.concurrent;
  if (!gate.enter(me, shared)) return false;
  how();
  gate.leave(me, shared);
  return true;
}

// Combines *origin with one element at the target; *result, if given, is what it was.
inline bool combine(const void* origin, void* result, MPI_Datatype datatype, int target, Count disp,
                    MPI_Op op, MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || is_constant_address(origin)) return false;
  const RankState::Word type = word(datatype);
  using enum RankState::Word::Sum;
  if (type.bytes == 0 || (op == MPI_SUM ? type.sum == none : op != MPI_REPLACE)) return false;
  char* const at = place(*window_, target, disp, type.bytes);
  if (!at) return false;
  return change(target, [&] {
    rma::with_word(type.bytes, [&]<class T>(T) {
      T value;
      std::memcpy(&value, origin, sizeof value);
      const T before =
          op == MPI_SUM ? rma::add(at, value, type.sum == reals) : memmodel::exchange_element(at, value);
      if (result) std::memcpy(result, &before, sizeof before);
    });
  });
}

inline bool Accumulate(const void* origin_addr, int target_rank, Count target_disp,
                       MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) noexcept
{
  return combine(origin_addr, nullptr, target_datatype, target_rank, target_disp, op, win);
}

inline bool Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
                         Count target_disp, MPI_Op op, MPI_Win win) noexcept
{
  return !is_constant_address(result_addr) &&
         combine(origin_addr, result_addr, datatype, target_rank, target_disp, op, win);
}

inline bool Get_accumulate(const void* origin_addr, void* result_addr, Count result_count,
                           MPI_Datatype result_datatype, int target_rank, Count target_disp,
                           MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) noexcept
{
  return result_count == 1 && result_datatype == target_datatype &&
         Fetch_and_op(origin_addr, result_addr, target_datatype, target_rank, target_disp, op, win);
}

// Of integers: the other types that it may have are rare.
inline bool Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr,
                             MPI_Datatype datatype, int target_rank, Count target_disp, MPI_Win win) noexcept
{
  Window* const window_ = window(win);
  if (!window_ || is_constant_address(origin_addr) || is_constant_address(compare_addr) ||
      is_constant_address(result_addr))
    return false;
  const RankState::Word type = word(datatype);
  if (type.sum != RankState::Word::Sum::integers) return false;
  char* const at = place(*window_, target_rank, target_disp, type.bytes);
  if (!at) return false;
  return change(target_rank, [&] {
    rma::with_word(type.bytes, [&]<class T>(T) {
      T desired, expected;
      std::memcpy(&desired, origin_addr, sizeof desired);
      std::memcpy(&expected, compare_addr, sizeof expected);
      const T before = memmodel::swap_element_if<T>(at, expected, desired);
      std::memcpy(result_addr, &before, sizeof before);
    });
  });
}

}  // namespace ranklet::api::fast
