#include "comm/group.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "terms/error.hpp"

namespace ranklet {

namespace {

// Whether rank_of() finds each by its rank in its world, of whichever world it is.
bool are_consecutive(const std::vector<Rank*>& members)
{
  for (std::size_t i = 1; i < members.size(); ++i)
    if (members[i]->world_rank != members[i - 1]->world_rank + 1) return false;
  return true;
}

std::vector<Group::SpawnedJob> find_spawned_jobs(const std::vector<Rank*>& members)
{
  std::vector<Group::SpawnedJob> found;
  const Job* last = nullptr;
  for (const Rank* member : members) {
    if (&member->job == last) continue;
    last = &member->job;
    const auto is_it = [&](const Group::SpawnedJob& known) { return known.job == last; };
    if (last->options().spawner && std::ranges::none_of(found, is_it))
      found.push_back({&member->job, last->ranks_alone()});
  }
  return found;
}

// Those of the sources of which there are members. Only addresses of jobs are looked at; a job may have got
// that of one that has gone: then both are taken.
std::vector<Group::SpawnedJob> find_spawned_jobs(const std::vector<Rank*>& members,
                                                 std::initializer_list<const Group*> sources)
{
  std::vector<const Job*> jobs;
  for (const Rank* member : members)
    if (std::ranges::find(jobs, &member->job) == jobs.end()) jobs.push_back(&member->job);
  std::vector<Group::SpawnedJob> found;
  for (const Group* source : sources) {
    for (const Group::SpawnedJob& spawned : source->spawned_jobs()) {
      const auto is_it = [&](const Group::SpawnedJob& known) { return known.ranks == spawned.ranks; };
      if (std::ranges::find(jobs, spawned.job) != jobs.end() && std::ranges::none_of(found, is_it))
        found.push_back(spawned);
    }
  }
  return found;
}

// The ranks that the ranges name, in their order.
std::vector<int> expand(const Group& group, std::span<const RankRange> ranges)
{
  std::vector<int> ranks;
  for (const RankRange& range : ranges) {
    if (range.stride == 0) fail(ErrorClass::arg, "a range of ranks has the stride 0");
    const std::int64_t distance = std::int64_t{range.last} - range.first;
    if (distance != 0 && (distance < 0) != (range.stride < 0)) continue;  // empty
    // The ends are checked first: every rank between them is then in range, and the list stays short.
    const std::int64_t steps = distance / range.stride;
    const std::int64_t last = range.first + steps * range.stride;
    for (const std::int64_t end : {std::int64_t{range.first}, last})
      if (end < 0 || end >= group.size())
        fail(ErrorClass::rank, "rank %lld of a range is not in the group of %d", static_cast<long long>(end),
             group.size());
    for (std::int64_t i = 0; i <= steps; ++i)
      ranks.push_back(static_cast<int>(range.first + i * range.stride));
  }
  return ranks;
}

// Which members `ranks` names; each may be named once.
std::vector<bool> mark(const Group& group, std::span<const int> ranks)
{
  std::vector<bool> marked(group.members().size(), false);
  for (const int rank : ranks) {
    if (rank < 0 || rank >= group.size())
      fail(ErrorClass::rank, "rank %d is not in the group of %d", rank, group.size());
    const auto i = static_cast<std::size_t>(rank);
    if (marked[i]) fail(ErrorClass::rank, "rank %d is given twice", rank);
    marked[i] = true;
  }
  return marked;
}

GroupPtr make(std::vector<Rank*> members, std::initializer_list<const Group*> sources)
{
  return members.empty() ? Group::empty() : std::make_shared<const Group>(std::move(members), sources);
}

// The members of `group` for which keep holds.
template <class Keep>
GroupPtr filter(const Group& group, Keep keep)
{
  std::vector<Rank*> members;
  for (Rank* member : group.members())
    if (keep(*member)) members.push_back(member);
  return make(std::move(members), {&group});
}

}  // namespace

Group::Group(std::vector<Rank*> members)
    : members_(std::move(members)), spawned_jobs_(find_spawned_jobs(members_))
{
  index_members();
}

Group::Group(std::vector<Rank*> members, std::initializer_list<const Group*> sources)
    : members_(std::move(members)), spawned_jobs_(find_spawned_jobs(members_, sources))
{
  index_members();
}

void Group::index_members()
{
  if (are_consecutive(members_)) return;
  by_address_.resize(members_.size());
  std::iota(by_address_.begin(), by_address_.end(), 0);
  std::sort(by_address_.begin(), by_address_.end(),
            [&](int a, int b) { return std::less<>{}(&member(a), &member(b)); });
}

int Group::rank_of(const Rank& rank) const noexcept
{
  if (members_.empty()) return undefined;
  if (by_address_.empty()) {
    const int i = rank.world_rank - members_[0]->world_rank;
    return i >= 0 && i < size() && &member(i) == &rank ? i : undefined;
  }
  const auto found =
      std::lower_bound(by_address_.begin(), by_address_.end(), &rank,
                       [&](int i, const Rank* wanted) { return std::less<>{}(&member(i), wanted); });
  return found != by_address_.end() && &member(*found) == &rank ? *found : undefined;
}

const GroupPtr& Group::empty()
{
  static const GroupPtr group = std::make_shared<const Group>(std::vector<Rank*>{});
  return group;
}

GroupPtr include(const Group& group, std::span<const int> ranks)
{
  mark(group, ranks);
  std::vector<Rank*> members;
  members.reserve(ranks.size());
  for (const int rank : ranks) members.push_back(&group.member(rank));
  return make(std::move(members), {&group});
}

GroupPtr exclude(const Group& group, std::span<const int> ranks)
{
  const std::vector<bool> marked = mark(group, ranks);
  std::vector<Rank*> members;
  for (std::size_t i = 0; i < marked.size(); ++i)
    if (!marked[i]) members.push_back(group.members()[i]);
  return make(std::move(members), {&group});
}

GroupPtr include(const Group& group, std::span<const RankRange> ranges)
{
  return include(group, std::span<const int>(expand(group, ranges)));
}

GroupPtr exclude(const Group& group, std::span<const RankRange> ranges)
{
  return exclude(group, std::span<const int>(expand(group, ranges)));
}

GroupPtr unite(const Group& first, const Group& second)
{
  std::vector<Rank*> members = first.members();
  for (Rank* member : second.members())
    if (!first.contains(*member)) members.push_back(member);
  return make(std::move(members), {&first, &second});
}

GroupPtr intersect(const Group& first, const Group& second)
{
  return filter(first, [&](const Rank& member) { return second.contains(member); });
}

GroupPtr subtract(const Group& first, const Group& second)
{
  return filter(first, [&](const Rank& member) { return !second.contains(member); });
}

GroupPtr derived_from(GroupPtr group, const std::shared_ptr<p2p::AttachedBuffer>& session_buffer)
{
  if (!group || group->size() == 0 || group->session_buffer_ == session_buffer) return group;
  const auto copy = std::make_shared<Group>(*group);
  copy->session_buffer_ = session_buffer;
  return copy;
}

Comparison compare(const Group& first, const Group& second)
{
  if (first.members() == second.members()) return Comparison::ident;
  if (first.size() != second.size()) return Comparison::unequal;
  for (const Rank* member : first.members())
    if (!second.contains(*member)) return Comparison::unequal;
  return Comparison::similar;
}

void translate_ranks(const Group& from, std::span<const int> ranks, const Group& to, std::span<int> to_ranks)
{
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == proc_null) {
      to_ranks[i] = proc_null;
      continue;
    }
    if (ranks[i] < 0 || ranks[i] >= from.size())
      fail(ErrorClass::rank, "rank %d is not in the group of %d", ranks[i], from.size());
    to_ranks[i] = to.rank_of(from.member(ranks[i]));
  }
}

}  // namespace ranklet
