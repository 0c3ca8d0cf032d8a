// When a waiting rank gives its core away by sched_yield(2), and when it rather sleeps. Among ranks that wait
// a yield takes microseconds, and no wake-up is needed. Where somebody computes it lasts a slice of time,
// milliseconds, however soon the rank could go on; a rank that sleeps gets its core back when it is woken. So
// a yield that took long makes the next waits sleep at once, each time twice as many, until so many yields in
// a row were short that they have saved what a long one costs.
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
    State state = state_.get();
    if (state.to_skip == 0) [[likely]]
      return true;
    --state.to_skip;
    state_.set(state);
    return false;
  }

  // Yields. False: it took long, `longest` or more.
  bool yield(Duration longest) noexcept
  {
    const auto begin = std::chrono::steady_clock::now();
    memmodel::Native::yield();
    return note(std::chrono::steady_clock::now() - begin, longest);
  }

  // For a loop of the program's own that asks in vain: whether it comes again at once. If not it comes from
  // work of its own, and the kernel sees to it that others run, too.
  bool asks_at_once() const noexcept { return now() - last_asked_.get() < own_work; }
  void has_asked() noexcept { last_asked_.set(now()); }

  // A yield took so long; true if that is short.
  bool note(Duration duration, Duration longest) noexcept
  {
    State state = state_.get();
    if (duration < longest) [[likely]] {
      if (state.pause == 0) [[likely]]
        return true;
      state_.set(++state.short_ones < worth_a_long_one ? state : State{});
      return true;
    }
    const auto pause = static_cast<std::uint16_t>(std::clamp(2 * state.pause, 16, 4096));
    state_.set({pause, pause, 0});
    return false;
  }

 private:
  static constexpr std::uint32_t worth_a_long_one = 500;
  struct alignas(8) State {        // else clang calls libatomic for it
    std::uint16_t to_skip = 0;     // waits that still sleep at once
    std::uint16_t pause = 0;       // how many there were at first
    std::uint32_t short_ones = 0;  // yields since then
  };

  static Duration::rep now() noexcept { return std::chrono::steady_clock::now().time_since_epoch().count(); }
  // What a loop does between the last test of one turn and the first of the next takes less.
  static constexpr Duration::rep own_work = Duration{std::chrono::microseconds{10}}.count();

  memmodel::Latest<State> state_;
  memmodel::Latest<Duration::rep> last_asked_;
};

}  // namespace ranklet
