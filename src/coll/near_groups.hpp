// Which members of a communicator are near each other: those that stay in one L3 cache.
#pragma once

#include <vector>

namespace ranklet {
struct CommShared;
}

namespace ranklet::coll {

struct NearGroups {
  // As many hear of each other at once in little more than a hop.
  static constexpr std::size_t most = 16;

  std::vector<std::vector<int>> groups;  // in the order of their first members, which lead them
  std::vector<int> of;                   // by member: its group
  // The members of each group, where there are several groups and each has the same power of two, one behind
  // the other: then sums in pairs are first those of groups. Otherwise 0.
  int block = 0;
};

// The same for all who ask. Members of which it is not known where they stay, or who move between caches, are
// taken for near to those like them that come next.
NearGroups find_near_groups(const CommShared& shared);

}  // namespace ranklet::coll
