#include "ranks/rank.hpp"

#include "ranks/job.hpp"

namespace ranklet {

std::string Rank::name() const
{
  return "rank " + job.label_of(world_rank);
}

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
