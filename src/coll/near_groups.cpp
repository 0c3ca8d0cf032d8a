#include "coll/near_groups.hpp"

#include <bit>
#include <map>
#include <utility>

#include "comm/communicator.hpp"

namespace ranklet::coll {

namespace {

int block_of(const NearGroups& found)
{
  const std::size_t size = found.groups[0].size();
  if (found.groups.size() == 1 || !std::has_single_bit(size) || found.of.size() % size != 0) return 0;
  for (std::size_t i = 0; i < found.of.size(); ++i)
    if (found.of[i] != static_cast<int>(i / size)) return 0;
  return size == 1 ? 0 : static_cast<int>(size);
}

}  // namespace

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
  found.block = block_of(found);
  return found;
}

}  // namespace ranklet::coll
