// The one place where a rank waits.
#pragma once

#include "ranks/job.hpp"

namespace ranklet {

// Returns when attempt() has returned true. attempt() may work for the rank (progress) and is called on the
// waiting thread; ready() is a cheap look, without side effects, for something to do for attempt(): while it
// is false the thread may sleep at `spot`, and whoever makes it true notifies `spot`. Throws JobCancelled.
template <class Attempt, class Ready>
void wait_until(Rank& self, memmodel::Parking<>& spot, Attempt&& attempt, Ready&& ready)
{
  const WaitPolicy& policy = self.job.options().wait;
  for (int i = 0; i < policy.spins; ++i) {
    if (attempt()) return;
    memmodel::Native::pause();
  }
  for (int i = 0;; ++i) {
    if (attempt()) return;
    if (i >= policy.yields && policy.park) {
      self.job.look_around(self);
      // ready() without success of attempt() means that another thread is at work on it: let it run.
      if (!spot.park([&] { return ready() || self.job.cancelled(); })) memmodel::Native::yield();
    } else {
      if ((i & 63) == 63) self.job.look_around(self);
      memmodel::Native::yield();
    }
  }
}

// The same for a wait that needs no work by the rank.
template <class Done>
void wait_until(Rank& self, memmodel::Parking<>& spot, Done&& done)
{
  wait_until(self, spot, done, done);
}

}  // namespace ranklet
