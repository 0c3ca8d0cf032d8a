#include "ranks/rank.hpp"

#include "ranks/job.hpp"

namespace ranklet {

std::string Rank::name() const
{
  return "rank " + job.label_of(world_rank);
}

std::vector<int> Rank::path() const
{
  std::vector<int> path = job.options().path;
  path.push_back(world_rank);
  return path;
}

void Rank::set_thread_level(ThreadLevel level) noexcept
{
  if (level == ThreadLevel::multiple) lone_gate.end();
  thread_level_.set(level);
}

}  // namespace ranklet
