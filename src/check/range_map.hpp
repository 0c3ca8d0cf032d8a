// What concerns ranges of addresses or of a file's bytes, to be found by a range that it may meet.
//
// Thread safety: the caller's lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace ranklet::check {

// Addresses from the first byte to the last one, and the end.
struct Range {
  std::uintptr_t begin;
  std::uintptr_t end;

  bool empty() const noexcept { return begin >= end; }
  friend bool operator==(const Range&, const Range&) = default;
};

template <class T>
class RangeMap {
  using ByBegin = std::multimap<std::uintptr_t, T>;

 public:
  using Place = typename ByBegin::iterator;

  Place add(Range range, T value)
  {
    reach_ = std::max(reach_, range.end - range.begin);
    return entries_.emplace(range.begin, std::move(value));
  }
  void erase(Place place)
  {
    entries_.erase(place);
    forget_reach();
  }
  // Those for which gone(value).
  template <class F>
  void erase_if(F&& gone)
  {
    std::erase_if(entries_, [&](const auto& entry) { return gone(entry.second); });
    forget_reach();
  }

  // f(value) for all whose ranges meet that one, and some others before it.
  template <class F>
  void for_each_near(Range range, F&& f) const
  {
    if (range.empty()) return;
    const std::uintptr_t from = range.begin > reach_ ? range.begin - reach_ : 0;
    for (auto entry = entries_.lower_bound(from); entry != entries_.end() && entry->first < range.end;
         ++entry)
      f(entry->second);
  }

  // Whether f(value) for one of those.
  template <class F>
  bool any_near(Range range, F&& f) const
  {
    bool found = false;
    for_each_near(range, [&](const T& value) { found = found || f(value); });
    return found;
  }

  std::size_t size() const noexcept { return entries_.size(); }
  bool empty() const noexcept { return entries_.empty(); }
  // How far before a range those may begin that meet it.
  std::uintptr_t reach() const noexcept { return reach_; }

 private:
  // One wide range would make all later ones be compared with everything.
  void forget_reach() noexcept
  {
    if (entries_.empty()) reach_ = 0;
  }

  ByBegin entries_;
  std::uintptr_t reach_ = 0;  // the longest since the map was empty
};

}  // namespace ranklet::check
