#include "machine/binding.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/config.hpp"
#include "terms/error.hpp"

namespace ranklet {
namespace {

enum class Order { neighbours, scattered, by_turns, blocks };

struct Policy {
  bool automatic = false;
  bool pinned = true;
  Level bind_level = Level::core;
  int bind_width = 1;  // objects of bind_level

  Order order = Order::neighbours;
  Level turn_level = Level::machine;  // by_turns and blocks: over these objects
  int block = 1;                      // ranks per object before the next
  int units_per_rank = 1;
  bool map_hwthreads = false;

  enum class Numbering { mapped, machine, by_turns } numbering = Numbering::mapped;
  Level number_level = Level::machine;
};

std::vector<std::string_view> split(std::string_view text, const char* separators)
{
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

int positive(std::string_view text)
{
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? value : 0;
}

[[noreturn]] void unknown(const char* option, const std::string& text)
{
  fail(ErrorClass::arg, "--%s takes %s, not \"%s\"", option, find_config_option(option)->argument.data(),
       text.c_str());
}

// Modifiers of MPICH and Open MPI that ask for what Ranklet does anyway.
bool is_harmless_modifier(std::string_view word)
{
  static constexpr std::string_view known[] = {
      "overload-allowed", "if-supported", "no-overload",  "oversubscribe", "nooversubscribe", "span",
      "corecpus",         "display",      "displayalloc", "nolocal",       "inherit",         "noinherit",
      "ordered",          "report",       "limit"};
  return std::ranges::find(known, word) != std::end(known);
}

void parse_bind_to(const std::string& text, Policy& policy)
{
  const std::vector<std::string_view> words = split(text, ":,");
  const std::string_view what = words[0];
  if (what == "auto" || what.empty()) {
    policy.automatic = true;
  } else if (what == "none" || what == "cpu-list" || what == "cpuset") {
    policy.pinned = false;
  } else if (what == "rr") {
    policy.bind_level = Level::core;
  } else if (!parse_level(what, policy.bind_level)) {
    unknown("bind-to", text);
  }
  for (const std::string_view word : std::span(words).subspan(1)) {
    if (positive(word) > 0)
      policy.bind_width = positive(word);
    else if (!is_harmless_modifier(word))
      unknown("bind-to", text);
  }
}

void parse_map_by(const std::string& text, Policy& policy)
{
  std::span<const std::string_view> words;
  const std::vector<std::string_view> all = split(text, ":,");
  words = all;
  const std::string_view what = words[0];
  words = words.subspan(1);
  Level level = Level::machine;
  if (what == "auto" || what == "compact" || what == "bunch" || what.empty()) {
    policy.order = Order::neighbours;
  } else if (what == "scatter" || what == "spread") {
    policy.order = Order::scattered;
  } else if (what == "ppr" && words.size() >= 2 && positive(words[0]) > 0 && parse_level(words[1], level)) {
    policy.order = Order::blocks;
    policy.block = positive(words[0]);
    policy.turn_level = level;
    words = words.subspan(2);
  } else if (parse_level(what, level)) {
    policy.order = level <= Level::core ? Order::neighbours : Order::by_turns;
    policy.turn_level = level;
    policy.map_hwthreads = level == Level::hwthread;
  } else {
    unknown("map-by", text);
  }
  for (const std::string_view word : words) {
    const bool width = word.starts_with("pe=") || word.starts_with("PE=");
    if (width && positive(word.substr(3)) > 0) {
      policy.units_per_rank = positive(word.substr(3));
    } else if (positive(word) > 0) {
      policy.units_per_rank = positive(word);  // MPICH: core:2
    } else if (word == "hwtcpus" || word == "HWTCPUS") {
      policy.map_hwthreads = true;
    } else {
      std::string small(word);
      std::ranges::transform(small, small.begin(),
                             [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      if (!is_harmless_modifier(small)) unknown("map-by", text);
    }
  }
}

void parse_rank_by(const std::string& text, Policy& policy)
{
  const std::string_view what = split(text, ":,")[0];
  Level level = Level::machine;
  if (what == "auto" || what == "map" || what == "span" || what.empty()) {
    policy.numbering = Policy::Numbering::mapped;
  } else if (what == "fill" || what == "compact") {
    policy.numbering = Policy::Numbering::machine;
  } else if (parse_level(what, level)) {
    policy.numbering = level <= Level::core || level == Level::machine ? Policy::Numbering::machine
                                                                       : Policy::Numbering::by_turns;
    policy.number_level = level;
  } else {
    unknown("rank-by", text);
  }
}

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
  Units(const Topology& topology, std::vector<CpuSet> units, const Policy& policy) : policy_(policy)
  {
    switch (policy.order) {
      case Order::neighbours:
        groups_ = {std::move(units)};
        break;
      case Order::scattered:
        groups_ = {scattered(topology, units, Level::package)};
        break;
      case Order::by_turns:
      case Order::blocks:
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

  const Policy& policy_;
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

CpuSet widened(const Topology& topology, const CpuSet& units, const Policy& policy)
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

void renumber(const Topology& topology, const Policy& policy, std::vector<CpuSet>& places)
{
  if (policy.numbering == Policy::Numbering::mapped) return;
  // Machine order is the order of hwloc's hardware threads, not of the system's numbers.
  const std::vector<CpuSet>& order = topology.objects(Level::hwthread);
  const auto position = [&](const CpuSet& set) {
    for (std::size_t i = 0; i < order.size(); ++i)
      if (set.contains(order[i].first())) return i;
    return order.size();
  };
  std::ranges::stable_sort(places, {}, position);
  if (policy.numbering == Policy::Numbering::by_turns)
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
  Policy policy;
  policy.units_per_rank = std::max(1, request.threads_per_rank);
  parse_bind_to(request.bind_to, policy);
  parse_map_by(request.map_by, policy);
  parse_rank_by(request.rank_by, policy);
  // A mapping asked for explicitly means that it shall be kept.
  if (policy.automatic && request.map_by != "auto") policy.automatic = false;

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
    policy.numbering = Policy::Numbering::machine;
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
