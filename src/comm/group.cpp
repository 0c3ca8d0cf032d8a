#include "comm/group.hpp"

namespace ranklet {

int Group::rank_of(const Rank& rank) const noexcept
{
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (members_[i] == &rank) return static_cast<int>(i);
  return undefined;
}

}  // namespace ranklet
