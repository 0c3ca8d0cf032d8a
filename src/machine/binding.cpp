#include "machine/binding.hpp"

#include <algorithm>
#include <span>

#include "machine/binding_policy.hpp"

namespace ranklet {
namespace {

// The members of `sets` that share a CPU with an object of the level, object by object.
std::vector<std::vector<CpuSet>> grouped(const Topology& topology, Level level, std::span<const CpuSet> sets)
{
  std::vector<std::vector<CpuSet>> groups;
  for (const CpuSet& object : topology.objects(level)) {
    std::vector<CpuSet> group;
    for (const CpuSet& set : sets)
      if (object.contains(set.first())) group.push_back(set);
    if (!group.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<CpuSet> interleaved(const std::vector<std::vector<CpuSet>>& groups)
{
  std::vector<CpuSet> result;
  for (std::size_t turn = 0, left = 1; left > 0; ++turn) {
    left = 0;
    for (const std::vector<CpuSet>& group : groups) {
      if (turn < group.size()) result.push_back(group[turn]);
      left += turn + 1 < group.size();
    }
  }
  return result;
}

// Far apart first: by turns over the packages, inside each over its NUMA domains, and so on down to the
// cores.
std::vector<CpuSet> scattered(const Topology& topology, std::span<const CpuSet> units, Level level)
{
  static constexpr Level finer[] = {Level::hwthread, Level::hwthread, Level::core, Level::core,
                                    Level::l2cache,  Level::l3cache,  Level::numa, Level::package};
  if (level == Level::hwthread) return {units.begin(), units.end()};
  std::vector<std::vector<CpuSet>> groups = grouped(topology, level, units);
  for (std::vector<CpuSet>& group : groups)
    group = scattered(topology, group, finer[static_cast<int>(level)]);
  return interleaved(groups);
}

// Hands out units to ranks. A rank's units come from one object as long as it has some left.
class Units {
 public:
  Units(const Topology& topology, std::vector<CpuSet> units, const BindingPolicy& policy) : policy_(policy)
  {
    switch (policy.filling) {
      case BindingPolicy::Filling::neighbours:
        groups_ = {std::move(units)};
        break;
      case BindingPolicy::Filling::scattered:
        groups_ = {scattered(topology, units, Level::package)};
        break;
      case BindingPolicy::Filling::by_turns:
      case BindingPolicy::Filling::blocks:
        groups_ = grouped(topology, policy.turn_level, units);
        break;
    }
    taken_.assign(groups_.size(), 0);
  }

  // The next rank's units; false in `own` once units are given out again.
  std::vector<CpuSet> take(bool& own)
  {
    const std::size_t wanted = static_cast<std::size_t>(policy_.units_per_rank);
    for (std::size_t tried = 0; tried < groups_.size(); ++tried, advance()) {
      if (taken_[current_] + wanted <= groups_[current_].size()) return take_here(wanted);
    }
    own = false;
    std::ranges::fill(taken_, 0);
    given_here_ = 0;
    return take_here(std::min(wanted, groups_[current_].size()));
  }

 private:
  std::vector<CpuSet> take_here(std::size_t number)
  {
    const auto begin = groups_[current_].begin() + static_cast<std::ptrdiff_t>(taken_[current_]);
    std::vector<CpuSet> result(begin, begin + static_cast<std::ptrdiff_t>(number));
    taken_[current_] += number;
    if (++given_here_ >= policy_.block) advance();
    return result;
  }

  void advance()
  {
    current_ = (current_ + 1) % groups_.size();
    given_here_ = 0;
  }

  const BindingPolicy& policy_;
  std::vector<std::vector<CpuSet>> groups_;
  std::vector<std::size_t> taken_;
  std::size_t current_ = 0;
  int given_here_ = 0;
};

// The cores, or hardware threads, that have a free one among them; of each its free part.
std::vector<CpuSet> free_units(const Topology& topology, Level level, const CpuSet& free)
{
  std::vector<CpuSet> units;
  for (CpuSet set : topology.objects(level)) {
    set &= free;
    if (!set.empty()) units.push_back(std::move(set));
  }
  return units;
}

// One hardware thread of every core before the second of any.
std::vector<CpuSet> hwthreads_by_core(const Topology& topology, const CpuSet& free)
{
  return interleaved(grouped(topology, Level::core, free_units(topology, Level::hwthread, free)));
}

CpuSet widened(const Topology& topology, const CpuSet& units, const BindingPolicy& policy)
{
  if (policy.bind_level == Level::hwthread && policy.bind_width == 1) {
    // Units that are cores give their first hardware thread each.
    CpuSet result;
    for (const CpuSet& core : topology.objects(Level::core)) {
      CpuSet part = core;
      part &= units;
      if (part.empty()) continue;
      if (part == core)
        result.add(part.first());
      else
        result |= part;
    }
    return result;
  }
  CpuSet result;
  int missing = policy.bind_width;
  for (const CpuSet& object : topology.objects(policy.bind_level)) {
    CpuSet common = object;
    common &= units;
    if (common.empty() && (result.empty() || missing <= 0)) continue;  // widened by the following objects
    result |= object;
    --missing;
  }
  return result;
}

void renumber(const Topology& topology, const BindingPolicy& policy, std::vector<CpuSet>& places)
{
  if (policy.numbering == BindingPolicy::Numbering::mapped) return;
  // Machine order is the order of hwloc's hardware threads, not of the system's numbers.
  const std::vector<CpuSet>& order = topology.objects(Level::hwthread);
  const auto position = [&](const CpuSet& set) {
    for (std::size_t i = 0; i < order.size(); ++i)
      if (set.contains(order[i].first())) return i;
    return order.size();
  };
  std::ranges::stable_sort(places, {}, position);
  if (policy.numbering == BindingPolicy::Numbering::by_turns)
    places = interleaved(grouped(topology, policy.number_level, places));
}

BindingPlan unpinned(const CpuSet& free, const Topology& topology, const BindingRequest& request,
                     std::string note)
{
  BindingPlan plan;
  const int wanted = request.ranks * request.threads_per_rank;
  plan.own_cpus = wanted <= free.count() && request.ranks <= topology.usable_cpus();
  for (const CpuSet& unit : hwthreads_by_core(topology, free))
    if (plan.in_use.count() < wanted) plan.in_use |= unit;
  plan.note = std::move(note);
  return plan;
}

}  // namespace

BindingPlan plan_binding(const Topology& topology, const CpuSet& free, const BindingRequest& request)
{
  BindingPolicy policy = read_policy(request);
  if (!policy.pinned) return unpinned(free, topology, request, "as asked for");
  const int wanted = request.ranks * policy.units_per_rank;
  const int free_cores = static_cast<int>(free_units(topology, Level::core, free).size());
  if (policy.automatic) {
    if (request.ranks == 1) return unpinned(free, topology, request, "one rank");
    if (topology.usable_cpus() < topology.hwthreads())
      return unpinned(free, topology, request, "the CPU quota is smaller than the machine");
    if (wanted > free.count()) {
      const bool crowded = wanted > topology.hwthreads();
      return unpinned(free, topology, request,
                      crowded ? "more ranks than cores" : "other jobs use the cores");
    }
    if (wanted > free_cores) policy.bind_level = Level::hwthread;
  }

  const bool by_hwthread =
      policy.map_hwthreads || (policy.bind_level == Level::hwthread && wanted > free_cores);
  std::vector<CpuSet> units;
  if (!by_hwthread)
    units = free_units(topology, Level::core, free);
  else if (policy.map_hwthreads)
    units = free_units(topology, Level::hwthread, free);
  else
    units = hwthreads_by_core(topology, free);
  if (static_cast<int>(units.size()) < wanted && free.count() < topology.hwthreads())
    return unpinned(free, topology, request, "other jobs use the cores");

  if (policy.automatic && by_hwthread) {
    // Take no more threads than ranks need, then number them so that neighbours share a core.
    units.resize(static_cast<std::size_t>(wanted));
    policy.numbering = BindingPolicy::Numbering::machine;
  }

  BindingPlan plan;
  plan.own_cpus = request.ranks <= topology.usable_cpus();
  Units source(topology, std::move(units), policy);
  std::vector<CpuSet> places;
  for (int rank = 0; rank < request.ranks; ++rank) {
    CpuSet place;
    for (const CpuSet& unit : source.take(plan.own_cpus)) place |= unit;
    plan.in_use |= place;
    places.push_back(std::move(place));
  }
  renumber(topology, policy, places);
  for (const CpuSet& place : places) plan.ranks.push_back(widened(topology, place, policy));
  return plan;
}

std::string describe_cpus(const Topology& topology, const CpuSet& set)
{
  if (set.empty() || set == topology.allowed()) return "not pinned (CPUs " + topology.allowed().text() + ")";
  std::string text;
  const auto numbers = [&](Level level, bool whole) {
    std::string list;
    CpuSet covered;
    const std::vector<CpuSet>& objects = topology.objects(level);
    for (std::size_t i = 0; i < objects.size(); ++i) {
      CpuSet common = objects[i];
      common &= set;
      if (common.empty() || (whole && !(common == objects[i]))) continue;
      covered |= common;
      list += (list.empty() ? "" : ",") + std::to_string(i);
    }
    return whole && !(covered == set) ? std::string() : list;
  };
  for (const Level level : {Level::package, Level::numa, Level::core, Level::hwthread}) {
    const std::string list = numbers(level, true);
    if (list.empty()) continue;
    text = std::string(level == Level::package ? "package" : level_name(level)) + " " + list;
    if (level == Level::hwthread) text += " of core " + numbers(Level::core, false);
    if (level < Level::package && topology.objects(Level::package).size() > 1)
      text += " of package " + numbers(Level::package, false);
    break;
  }
  return text + " (CPU" + (set.count() > 1 ? "s " : " ") + set.text() + ")";
}

}  // namespace ranklet
