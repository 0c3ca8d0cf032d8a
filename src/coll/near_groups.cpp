#include "coll/near_groups.hpp"

#include <map>
#include <utility>

#include "comm/communicator.hpp"

namespace ranklet::coll {

NearGroups find_near_groups(const CommShared& shared)
{
  using Cache = std::pair<const Job*, int>;
  NearGroups found;
  std::map<Cache, int> latest;  // the last group of each
  for (int i = 0; i < shared.members(); ++i) {
    const Rank& rank = shared.member(i);
    const std::vector<Place>& places = rank.job.places();
    const int cache =
        places.empty() ? -1 : places[static_cast<std::size_t>(rank.world_rank)].object(Level::l3cache);
    const auto [place, is_new] = latest.try_emplace({&rank.job, cache}, 0);
    if (is_new || found.groups[static_cast<std::size_t>(place->second)].size() == NearGroups::most) {
      place->second = static_cast<int>(found.groups.size());
      found.groups.emplace_back();
    }
    found.groups[static_cast<std::size_t>(place->second)].push_back(i);
    found.of.push_back(place->second);
  }
  return found;
}

}  // namespace ranklet::coll
