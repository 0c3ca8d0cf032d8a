// Where a member keeps the copies that others read in its rounds, so that it need not wait for them: a ring
// of bytes, in which a copy stays until all members are done with its round.
//
// Thread safety: the member's threads, one at a time. Invariants:
//  1. Copies that stay do not overlap.
//  2. Each begins a line, so there are no more of them than lines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/invariant.hpp"

namespace ranklet::members {

// Places in a ring of `size` bytes, a power of two.
template <std::size_t size>
class CopyRing {
 public:
  // So that there is room for the next one while the others read.
  static constexpr std::size_t longest = size / 2;

  // all_done: a round that all members are known to be done with.
  void forget(std::uint64_t all_done) noexcept
  {
    while (count_ > 0 && at(0).round <= all_done) {
      ++first_;
      --count_;
    }
  }
  // The round that all must be done with before there is room for so many bytes, at least one; 0: there is.
  std::uint64_t in_the_way(std::size_t bytes) const noexcept
  {
    const std::uint64_t end = place_for(bytes) + bytes;
    std::uint64_t round = 0;
    for (std::uint64_t i = 0; i < count_ && end - at(i).begin > size; ++i) round = at(i).round;
    return round;
  }
  // Where the next copy goes, if nothing is in the way.
  std::size_t next(std::size_t bytes) const noexcept { return place_for(bytes) % size; }
  // The round's copy goes there.
  std::size_t take(std::uint64_t round, std::size_t bytes) noexcept
  {
    invariant([&] { return bytes > 0 && count_ < most && in_the_way(bytes) == 0; },
              "copies do not overlap (1, 2)");
    const std::uint64_t begin = place_for(bytes);
    end_ = begin + bytes;
    copies_[(first_ + count_++) % most] = {round, begin};
    return begin % size;
  }

 private:
  static constexpr std::uint64_t line = 64, most = size / line;
  struct Copy {
    std::uint64_t round;
    std::uint64_t begin;
  };

  const Copy& at(std::uint64_t i) const noexcept { return copies_[(first_ + i) % most]; }
  // Places are counted on: whole lines, and no copy goes over the end.
  std::uint64_t place_for(std::size_t bytes) const noexcept
  {
    const std::uint64_t begin = (end_ + line - 1) / line * line;
    return begin % size + bytes <= size ? begin : (begin / size + 1) * size;
  }

  std::uint64_t end_ = 0;
  std::uint64_t first_ = 0;  // the oldest copy that stays; counted on
  std::uint64_t count_ = 0;
  Copy copies_[most];
};

}  // namespace ranklet::members
