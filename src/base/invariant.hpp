// Checks of what must always hold, so that the invariants which headers state in words also run. How much is
// checked is chosen when the library is built (Meson's option `checks`):
//   off    nothing is evaluated;
//   cheap  conditions of a few instructions, on short ways too;
//   full   whole structures as well, where something in them changes.
// A condition that does not hold ends the process with its text and place: Ranklet itself is wrong, and what
// it would do next cannot be trusted. Conditions are callables without side effects.
#pragma once

#include <utility>

namespace ranklet {

enum class Checks { off, cheap, full };

#ifndef RANKLET_CHECKS
#define RANKLET_CHECKS off  // sources outside the build, such as a user's test that includes a public header
#endif
inline constexpr Checks check_level = Checks::RANKLET_CHECKS;

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] void broken_invariant(const char* text, const char* file, int line);
}  // namespace detail

// text: what must hold, as a short clause. (clang 14 does not know std::source_location.)
template <class Condition>
void invariant(Condition&& holds, const char* text, const char* file = __builtin_FILE(),
               int line = __builtin_LINE())
{
  if constexpr (check_level != Checks::off) {
    if (!std::forward<Condition>(holds)()) [[unlikely]]
      detail::broken_invariant(text, file, line);
  }
}

// For conditions that cost more than the change that they follow.
template <class Condition>
void full_invariant(Condition&& holds, const char* text, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE())
{
  if constexpr (check_level == Checks::full) {
    if (!std::forward<Condition>(holds)()) [[unlikely]]
      detail::broken_invariant(text, file, line);
  }
}

}  // namespace ranklet
