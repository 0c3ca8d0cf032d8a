#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "comm/harness.hpp"
#include "terms/error.hpp"

using namespace ranklet;

namespace {

std::vector<int> numbers(const Group& group)
{
  std::vector<int> out;
  for (const Rank* member : group.members()) out.push_back(member->world_rank);
  return out;
}

// A group from a list of world ranks.
GroupPtr group_of(Job& job, const std::vector<int>& world_ranks)
{
  std::vector<Rank*> members;
  for (int rank : world_ranks) members.push_back(&job.rank(rank));
  return std::make_shared<const Group>(members);
}

bool fails_with(ErrorClass wanted, const std::function<void()>& action)
{
  try {
    action();
  } catch (const Error& error) {
    return error.error_class() == wanted;
  }
  return false;
}

}  // namespace

TEST_CASE("groups: random algebra agrees with lists of numbers")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  Job job(12, {});
  for (int round = 0; round < 500; ++round) {
    const auto draw = [&] {
      std::vector<int> all(12);
      std::iota(all.begin(), all.end(), 0);
      if (round % 3) std::shuffle(all.begin(), all.end(), random);
      all.resize(random() % 13);
      return all;
    };
    const std::vector<int> a = draw(), b = draw();
    const auto in = [](const std::vector<int>& list, int x) {
      return std::find(list.begin(), list.end(), x) != list.end();
    };
    std::vector<int> both = a, common, rest;
    for (int x : b)
      if (!in(a, x)) both.push_back(x);
    for (int x : a) (in(b, x) ? common : rest).push_back(x);

    const GroupPtr ga = group_of(job, a), gb = group_of(job, b);
    CHECK(numbers(*unite(*ga, *gb)) == both);
    CHECK(numbers(*intersect(*ga, *gb)) == common);
    CHECK(numbers(*subtract(*ga, *gb)) == rest);

    for (int x = 0; x < 12; ++x) {
      const auto at = std::find(a.begin(), a.end(), x);
      CHECK(ga->rank_of(job.rank(x)) == (at == a.end() ? undefined : static_cast<int>(at - a.begin())));
    }

    std::vector<int> from(a.size()), to(a.size());
    std::iota(from.begin(), from.end(), 0);
    translate_ranks(*ga, from, *gb, to);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto at = std::find(b.begin(), b.end(), a[i]);
      CHECK(to[i] == (at == b.end() ? undefined : static_cast<int>(at - b.begin())));
    }

    std::vector<int> sorted_a = a, sorted_b = b;
    std::sort(sorted_a.begin(), sorted_a.end());
    std::sort(sorted_b.begin(), sorted_b.end());
    const Comparison wanted = a == b                 ? Comparison::ident
                              : sorted_a == sorted_b ? Comparison::similar
                                                     : Comparison::unequal;
    CHECK(compare(*ga, *gb) == wanted);
  }
}

TEST_CASE("groups: include and exclude, by ranks and by ranges")
{
  Job job(10, {});
  const GroupPtr group = group_of(job, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  CHECK(numbers(*include(*group, std::vector<int>{3, 0, 9})) == std::vector<int>{6, 9, 0});
  CHECK(numbers(*exclude(*group, std::vector<int>{3, 0, 9})) == std::vector<int>{8, 7, 5, 4, 3, 2, 1});
  CHECK(include(*group, std::vector<int>{}) == Group::empty());
  // The standard's example shape: stride, descending, single, an end that is not hit.
  const std::vector<RankRange> ranges = {{1, 6, 2}, {9, 7, -1}, {0, 0, 5}};
  CHECK(numbers(*include(*group, ranges)) == std::vector<int>{8, 6, 4, 0, 1, 2, 9});
  CHECK(numbers(*exclude(*group, ranges)) == std::vector<int>{7, 5, 3});
  CHECK(include(*group, std::vector<RankRange>{{3, 2, 1}}) == Group::empty());

  CHECK(fails_with(ErrorClass::rank, [&] { include(*group, std::vector<int>{1, 10}); }));
  CHECK(fails_with(ErrorClass::rank, [&] { include(*group, std::vector<int>{1, 1}); }));
  CHECK(fails_with(ErrorClass::rank, [&] { exclude(*group, std::vector<int>{-1}); }));
  CHECK(fails_with(ErrorClass::arg, [&] { include(*group, std::vector<RankRange>{{1, 2, 0}}); }));
  CHECK(fails_with(ErrorClass::rank, [&] { include(*group, std::vector<RankRange>{{0, 2000000000, 1}}); }));
  std::vector<int> one(1);
  CHECK(fails_with(ErrorClass::rank, [&] { translate_ranks(*group, std::vector<int>{10}, *group, one); }));
  translate_ranks(*group, std::vector<int>{proc_null}, *group, one);
  CHECK(one[0] == proc_null);
}
