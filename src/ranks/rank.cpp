#include "ranks/rank.hpp"

namespace ranklet {

void Rank::set_thread_level(ThreadLevel level) noexcept
{
  if (level == ThreadLevel::multiple) {
    lone_gate.close();
    // Sections are short.
    while (lone_thread.is_inside()) memmodel::Native::yield();
  }
  thread_level_.set(level);
}

}  // namespace ranklet
