// The shortest way through one-sided calls: what most programs do, in the entry point itself, without the
// note that reports need. Nothing here waits, fails or calls the program back. False: nothing has been done,
// and the call goes the long way; but for MPI_Win_fence, which notes how far it is (rma/window.hpp).
//
// Most call nothing either, so that the entry point, into which they are inlined, saves no registers.
//
// Here are those that move or combine one element of a predefined type that is a word; of calls that describe
// it twice, alike.
#pragma once

#include "api/entry/checks.hpp"
#include "api/entry/fast_rma_sync.hpp"
#include "api/entry/last_window.hpp"
#include "rma/element_ops.hpp"

namespace ranklet::api::fast {

// Where the call was made that goes the long way.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local const void* call_site = nullptr;

// A type whose elements are words; `bytes` is 0 for others.
inline RankState::WordType word(MPI_Datatype datatype) noexcept
{
  const std::uintptr_t index = handle_value(datatype) - TypeHandle::first;
  return index < TypeHandle::count ? last_window.state->words[index] : RankState::WordType{};
}

// Where a word of the target is; null if it cannot be reached in this way.
inline char* place(const Window& window, int target, Count disp, Count bytes) noexcept
{
  if (static_cast<unsigned>(target) >= static_cast<unsigned>(window.size())) return nullptr;
  char* const at = window.find(last_window.path(target), disp, bytes);
  return rma::is_aligned(at, bytes) ? at : nullptr;
}

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
  const RankState::WordType type = word(datatype);
  using enum RankState::WordType::Sum;
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
  const RankState::WordType type = word(datatype);
  if (type.sum != RankState::WordType::Sum::integers) return false;
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
