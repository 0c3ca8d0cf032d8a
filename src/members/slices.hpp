// How members that reduce large vectors at once divide them: each slice has an owner. Owners are spread over
// the members, as neighbors may have a cache together, into which their slices come one after the other
// (docs/scaling.md).
#pragma once

#include <cstdint>

namespace ranklet::members {

struct Slices {
  int members;
  int count;

  static constexpr int none = -1;
  int owner(int slice) const { return static_cast<int>(std::int64_t{slice} * members / count); }
  // The slice that the member owns, or none.
  int of(int member) const { return owner(near(member)) == member ? near(member) : none; }
  // The first one whose owner is not before the member, or 0.
  int near(int member) const
  {
    const int slice = static_cast<int>((std::int64_t{member} * count + members - 1) / members);
    return slice < count ? slice : 0;
  }
};

}  // namespace ranklet::members
