// A datatype as the standard defines it, a list of (basic type, displacement), built by the formulas of
// chapter 5 and slow: what the real one is compared with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "datatype/datatype.hpp"

namespace reference {

using ranklet::Basic;
using ranklet::Count;

struct Entry {
  Basic basic;
  Count at;
};

struct Type {
  std::vector<Entry> map;
  bool marked = false;
  Count mark_lb = 0;
  Count mark_ub = 0;

  Count size() const
  {
    Count bytes = 0;
    for (const Entry& entry : map) bytes += info(entry.basic).size;
    return bytes;
  }
  Count true_lb() const
  {
    Count low = map.empty() ? 0 : map[0].at;
    for (const Entry& entry : map) low = std::min(low, entry.at);
    return low;
  }
  Count true_ub() const
  {
    Count high = map.empty() ? 0 : map[0].at + info(map[0].basic).size;
    for (const Entry& entry : map) high = std::max(high, entry.at + info(entry.basic).size);
    return high;
  }
  Count lb() const { return marked ? mark_lb : true_lb(); }
  Count ub() const
  {
    if (marked) return mark_ub;
    Count strictest = 1;
    for (const Entry& entry : map) strictest = std::max(strictest, info(entry.basic).alignment);
    Count extent = true_ub() - true_lb();
    while (extent % strictest != 0) ++extent;
    return true_lb() + extent;
  }
  Count extent() const { return ub() - lb(); }

  // Adds the type map of `other`, moved.
  void add(const Type& other, Count displacement)
  {
    for (const Entry& entry : other.map) map.push_back({entry.basic, entry.at + displacement});
    if (!other.marked) return;
    mark_lb = marked ? std::min(mark_lb, other.mark_lb + displacement) : other.mark_lb + displacement;
    mark_ub = marked ? std::max(mark_ub, other.mark_ub + displacement) : other.mark_ub + displacement;
    marked = true;
  }
};

inline Type basic(Basic which)
{
  return {{{which, 0}}};
}

inline Type blocks(const Type& old, const std::vector<Count>& lengths,
                   const std::vector<Count>& byte_displacements)
{
  Type result;
  const Count extent = old.extent();
  for (std::size_t i = 0; i < lengths.size(); ++i)
    for (Count j = 0; j < lengths[i]; ++j) result.add(old, byte_displacements[i] + j * extent);
  return result;
}

// Where in memory the bytes of `count` elements lie, in message order.
inline std::vector<Count> byte_map(const Type& type, Count count)
{
  std::vector<Count> places;
  for (Count i = 0; i < count; ++i)
    for (const Entry& entry : type.map)
      for (Count b = 0; b < info(entry.basic).size; ++b) places.push_back(i * type.extent() + entry.at + b);
  return places;
}

}  // namespace reference
