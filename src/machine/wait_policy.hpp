// How to wait: decided in one place, from the number of cores and ranks, or by the user.
#pragma once

namespace ranklet {

struct WaitPolicy {
  int spins = 2000;  // looks with a pause between them: while ranks have cores of their own
  int yields = 200;  // looks with a sched_yield between them
  bool park = true;  // then sleep; otherwise go on yielding

  // The policy for `ranks` ranks on `cores` usable cores: spin when each has its own, else yield at once.
  static WaitPolicy automatic(int ranks, int cores) noexcept;
};

}  // namespace ranklet
