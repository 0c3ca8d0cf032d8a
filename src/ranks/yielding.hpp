// When a waiting rank gives its core away by sched_yield(2), and when it rather sleeps. Among ranks that wait
// a yield takes microseconds, and no wake-up is needed. Where somebody computes it lasts a slice of time,
// milliseconds, however soon the rank could go on; a rank that sleeps gets its core back when it is woken. So
// a yield that took long makes the next waits sleep at once, each time twice as many, until yields are short
// again.
//
// Thread safety: the rank's threads. What two of them note at the same time may be lost, nothing else.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "memmodel/memmodel.hpp"

namespace ranklet {

class Yielding {
 public:
  using Duration = std::chrono::steady_clock::duration;

  // Asked once in each wait.
  bool pays() noexcept
  {
    const std::uint32_t word = word_.get();
    if ((word & to_skip) == 0) [[likely]]
      return true;
    word_.set(word - 1);
    return false;
  }

  // Yields. False: it took long, `longest` or more.
  bool yield(Duration longest) noexcept
  {
    const auto begin = std::chrono::steady_clock::now();
    memmodel::Native::yield();
    return note(std::chrono::steady_clock::now() - begin, longest);
  }

  // A yield took so long; true if that is short.
  bool note(Duration duration, Duration longest) noexcept
  {
    if (duration < longest) [[likely]] {
      if (word_.get() != 0) word_.set(0);
      return true;
    }
    const std::uint32_t skipped = std::min(std::max(2 * (word_.get() / next_pause), 16u), 1024u);
    word_.set(skipped * next_pause + skipped);
    return false;
  }

 private:
  // A word: waits that still sleep at once, and how many there were at first.
  static constexpr std::uint32_t next_pause = 0x10000;
  static constexpr std::uint32_t to_skip = next_pause - 1;

  memmodel::Latest<std::uint32_t> word_;
};

}  // namespace ranklet
