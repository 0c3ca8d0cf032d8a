// Values by ranges of addresses or of a file's bytes, to be found by a range that theirs may meet.
//
// Thread safety: the caller's lock.
#pragma once

#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>
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

// By their lengths, so that a wide one does not make all others be looked at that begin in its reach.
template <class T>
class RangeMap {
  using ByBegin = std::multimap<std::uintptr_t, T>;

 public:
  class Position {
   public:
    T& operator*() const { return entry_->second; }

   private:
    friend class RangeMap;
    Position(int width, typename ByBegin::iterator entry) : width_(width), entry_(entry) {}
    int width_;
    typename ByBegin::iterator entry_;
  };

  Position add(Range range, T value)
  {
    const auto width = static_cast<int>(std::bit_width(range.end - range.begin));
    return {width, widths_[width].emplace(range.begin, std::move(value))};
  }
  void erase(Position place)
  {
    const auto alike = widths_.find(place.width_);
    alike->second.erase(place.entry_);
    if (alike->second.empty()) widths_.erase(alike);
  }
  // Those for which gone(value).
  template <class F>
  void erase_if(F&& gone)
  {
    for (auto& [width, entries] : widths_)
      std::erase_if(entries, [&](const auto& entry) { return gone(entry.second); });
    std::erase_if(widths_, [](const auto& alike) { return alike.second.empty(); });
  }
  // The same among those that for_each_near() would find.
  template <class F>
  void erase_near_if(Range range, F&& gone)
  {
    if (range.empty()) return;
    for (auto alike = widths_.begin(); alike != widths_.end();) {
      ByBegin& entries = alike->second;
      auto entry = entries.lower_bound(first_near(range, alike->first));
      while (entry != entries.end() && entry->first < range.end)
        entry = gone(entry->second) ? entries.erase(entry) : std::next(entry);
      alike = entries.empty() ? widths_.erase(alike) : std::next(alike);
    }
  }

  template <class F>
  void for_each(F&& f) const
  {
    for (const auto& [width, entries] : widths_)
      for (const auto& [begin, value] : entries) f(value);
  }

  // f(value) for all whose ranges meet that one, and some others before it.
  template <class F>
  void for_each_near(Range range, F&& f) const
  {
    if (range.empty()) return;
    for (const auto& [width, entries] : widths_)
      for (auto entry = entries.lower_bound(first_near(range, width));
           entry != entries.end() && entry->first < range.end; ++entry)
        f(entry->second);
  }

  std::size_t size() const noexcept
  {
    std::size_t all = 0;
    for (const auto& [width, entries] : widths_) all += entries.size();
    return all;
  }
  bool empty() const noexcept { return widths_.empty(); }
  // How far before a range those may begin that meet it.
  std::uintptr_t reach() const noexcept { return empty() ? 0 : reach(widths_.rbegin()->first); }

 private:
  static std::uintptr_t reach(int width) noexcept
  {
    return width >= std::numeric_limits<std::uintptr_t>::digits ? ~std::uintptr_t{}
                                                                : (std::uintptr_t{1} << width) - 1;
  }
  static std::uintptr_t first_near(Range range, int width) noexcept
  {
    return range.begin > reach(width) ? range.begin - reach(width) : 0;
  }

  std::map<int, ByBegin> widths_;  // by the number of bits of their lengths; never empty
};

}  // namespace ranklet::check
