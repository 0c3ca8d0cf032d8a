// Groups (MPI 5.0 §7.3).
#include "api/handles/comparison.hpp"
#include "api/impl/impl.hpp"

namespace ranklet::api::impl {

// Ranges as the interface has them are the core's, member by member.
static_assert(sizeof(RankRange) == sizeof(int[3]));

namespace {

std::span<const RankRange> ranges_of(const int (*ranges)[3], int n)
{
  return {reinterpret_cast<const RankRange*>(ranges), static_cast<std::size_t>(n)};
}

std::span<const int> ranks_of(const int* ranks, int n)
{
  return {ranks, static_cast<std::size_t>(n)};
}

}  // namespace

void Group_size(Rank&, const GroupPtr& group, int& size)
{
  size = group->size();
}

void Group_rank(Rank& self, const GroupPtr& group, int& rank)
{
  rank = group->rank_of(self);
}

void Group_translate_ranks(Rank&, const GroupPtr& group1, int n, const int* ranks1, const GroupPtr& group2,
                           int* ranks2)
{
  translate_ranks(*group1, ranks_of(ranks1, n), *group2, {ranks2, static_cast<std::size_t>(n)});
}

void Group_compare(Rank&, const GroupPtr& group1, const GroupPtr& group2, int& result)
{
  result = comparison_constant(compare(*group1, *group2));
}

// Groups made from others are derived from the session that the first of them is derived from.

void Group_union(Rank&, const GroupPtr& group1, const GroupPtr& group2, GroupPtr& newgroup)
{
  newgroup = derived_from(unite(*group1, *group2), group1->session_buffer());
}

void Group_intersection(Rank&, const GroupPtr& group1, const GroupPtr& group2, GroupPtr& newgroup)
{
  newgroup = derived_from(intersect(*group1, *group2), group1->session_buffer());
}

void Group_difference(Rank&, const GroupPtr& group1, const GroupPtr& group2, GroupPtr& newgroup)
{
  newgroup = derived_from(subtract(*group1, *group2), group1->session_buffer());
}

void Group_incl(Rank&, const GroupPtr& group, int n, const int* ranks, GroupPtr& newgroup)
{
  newgroup = derived_from(include(*group, ranks_of(ranks, n)), group->session_buffer());
}

void Group_excl(Rank&, const GroupPtr& group, int n, const int* ranks, GroupPtr& newgroup)
{
  newgroup = derived_from(exclude(*group, ranks_of(ranks, n)), group->session_buffer());
}

void Group_range_incl(Rank&, const GroupPtr& group, int n, const int (*ranges)[3], GroupPtr& newgroup)
{
  newgroup = derived_from(include(*group, ranges_of(ranges, n)), group->session_buffer());
}

void Group_range_excl(Rank&, const GroupPtr& group, int n, const int (*ranges)[3], GroupPtr& newgroup)
{
  newgroup = derived_from(exclude(*group, ranges_of(ranges, n)), group->session_buffer());
}

// The object goes with its last handle.
void Group_free(Rank&, const GroupPtr&) {}

}  // namespace ranklet::api::impl
