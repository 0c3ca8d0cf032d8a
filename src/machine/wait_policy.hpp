// How to wait: decided in one place, from the number of cores and ranks, or by the user.
#pragma once

#include <algorithm>
#include <chrono>

namespace ranklet {

struct WaitPolicy {
  // Looks with a pause between them, while ranks have cores of their own: for a quarter of a millisecond.
  // Then a rank that another process keeps from its core for a slice of time seldom finds the other one
  // asleep, and threads of one rank do not wait much for each other's core.
  int spins = 5000;
  // The same where ranks share cores with other jobs, or with threads of their own, but not with each other:
  // who is waited for mostly has a core just now, and a sleep takes some ten times as long as a message. For
  // 10 to 20 microseconds, which is what it takes.
  int first_looks = 0;
  static constexpr int few = 400;
  // Looks with a sched_yield between them. None where ranks have cores of their own: if another process wants
  // the core, the yield gives it away for a whole slice of time, in which the other rank comes to its own
  // yield.
  int yields = 0;
  bool park = true;  // then sleep; otherwise go on yielding
  // A longer one shows that somebody computes. It lasts until all who are ready on the core have yielded,
  // too, which takes each of them some microseconds.
  std::chrono::microseconds longest_yield{500};

  int looks() const { return std::max(spins, first_looks); }

  // The policy for `ranks` ranks on `cores` usable cores: spin when each has its own, else yield at once.
  static WaitPolicy automatic(int ranks, int cores) noexcept;
};

}  // namespace ranklet
