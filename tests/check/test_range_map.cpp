#include <doctest/doctest.h>

#include <random>
#include <set>

#include "check/range_map.hpp"

using namespace ranklet::check;

TEST_CASE("all ranges that meet one are found, whatever was added and erased before")
{
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  RangeMap<int> map;
  std::map<int, std::pair<Range, RangeMap<int>::Position>> known;
  for (int i = 0; i < 2000; ++i) {
    const std::uintptr_t begin = random() % 500;
    const Range range{begin, begin + 1 + random() % (random() % 10 == 0 ? 300 : 5)};
    std::set<int> expected, found;
    for (const auto& [value, entry] : known)
      if (entry.first.begin < range.end && range.begin < entry.first.end) expected.insert(value);
    map.for_each_near(range, [&](int value) {
      const Range other = known.at(value).first;
      if (other.begin < range.end && range.begin < other.end) found.insert(value);
    });
    CHECK(found == expected);
    if (random() % 2 == 0 || known.empty()) {
      known.emplace(i, std::pair(range, map.add(range, i)));
    } else if (random() % 20 == 0) {
      map.erase_if([](int value) { return value % 2 == 0; });
      std::erase_if(known, [](const auto& entry) { return entry.first % 2 == 0; });
    } else if (random() % 10 == 0) {
      map.erase_near_if(range, [&](int value) { return expected.contains(value) && value % 3 == 0; });
      std::erase_if(
          known, [&](const auto& entry) { return expected.contains(entry.first) && entry.first % 3 == 0; });
    } else {
      map.erase(known.begin()->second.second);
      known.erase(known.begin());
    }
    CHECK(map.size() == known.size());
  }
}

TEST_CASE("a wide range is of no account when it is gone, and for those behind it no others are looked at")
{
  RangeMap<int> map;
  const auto wide = map.add({0, 1 << 20}, 1);
  for (std::uintptr_t i = 0; i < 100; ++i) map.add({i, i + 1}, 2);
  int seen = 0;
  map.for_each_near({200, 201}, [&](int) { ++seen; });
  CHECK(seen == 1);
  map.erase(wide);
  CHECK(map.reach() == 1);
  map.erase_if([](int) { return true; });
  CHECK(map.reach() == 0);
  map.add({0, 1 << 20}, 1);
  map.erase_if([](int) { return true; });
  CHECK(map.reach() == 0);
}
