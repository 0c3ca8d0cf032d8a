// The window that a thread has used last, with what the shortest ways of one-sided calls (fast_rma.hpp) need
// of it. Thread safety: each thread has its own.
#pragma once

#include "api/handles/rank_state.hpp"
#include "rma/window.hpp"

namespace ranklet::api::fast {

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

inline Window* window(MPI_Win win) noexcept
{
  const LastWindow& last = last_window;
  return last.handle == win && last.binding == ranklet::detail::bindings &&
                 last.retired == last.state->wins.retired()
             ? last.window
             : nullptr;
}

// The long way has used the window: the next calls find it, until MPI ends or any window is freed.
inline void remember(RankState& state, MPI_Win win) noexcept
{
  if (!state.unobserved || window(win)) return;
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

}  // namespace ranklet::api::fast
