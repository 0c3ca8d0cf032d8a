#include "ranks/rank.hpp"

namespace ranklet {

namespace {
// initial-exec: one instruction to read; the library is always loaded at program start.
[[gnu::tls_model("initial-exec")]] thread_local Rank* current = nullptr;
}  // namespace

Rank* current_rank() noexcept
{
  return current;
}

Rank* bind_current_rank(Rank* rank) noexcept
{
  Rank* const before = current;
  current = rank;
  return before;
}

}  // namespace ranklet
