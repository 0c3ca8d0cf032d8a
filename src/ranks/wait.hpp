// The one place where a rank waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "ranks/job.hpp"

namespace ranklet {

namespace detail {

// Sleeps at `spot` between attempts until one succeeds. What takes longer than a few naps is watched, as it
// may be a deadlock.
template <class Attempt, class Ready>
[[gnu::noinline]] void sleep_until(Rank& self, memmodel::Parking<>& spot, Attempt& attempt, Ready& ready)
{
  const bool hasty = self.job.options().arbiter && self.job.options().arbiter->holds_receives();
  const int naps = hasty ? 0 : 4;
  constexpr int longest_nap = 5;  // milliseconds
  const auto something_to_do = [&] { return ready() || self.progress.is_ready(); };
  const auto wakes = [&] { return something_to_do() || self.job.cancelled(); };
  const auto succeeds = [&] {
    if (attempt()) return true;
    if (!self.progress.is_empty()) [[unlikely]] {
      self.progress.serve(std::numeric_limits<int>::max());
      return attempt();
    }
    return false;
  };
  const ProgressList<>::Sleep sleep(self.progress, spot);
  // ready() without success of attempt() means that another thread is at work on it: let it run.
  for (int i = 0; i < naps; ++i) {
    self.job.look_around(self);
    if (!spot.nap(wakes, longest_nap)) memmodel::Native::yield();
    if (succeeds()) return;
  }
  DeadlockWatch::Sleeper sleeper(self.job.deadlocks, self, spot, something_to_do);
  for (;;) {
    self.job.look_around(self);
    const int longest = sleeper.lie_down();
    const bool slept = longest > 0 && spot.park(wakes, longest);
    sleeper.get_up();
    if (!slept) memmodel::Native::yield();
    if (succeeds()) return;
  }
}

}  // namespace detail

// Returns when attempt() has returned true. attempt() may work for the rank (progress) and is called on the
// waiting thread; ready() is a cheap look, without side effects, for something to do for attempt(): while it
// is false the thread may sleep at `spot`, and whoever makes it true notifies `spot`. ready() is also called
// by other threads while this one sleeps. Meanwhile the rank's other operations that only it may advance go
// on (progress.hpp). Throws JobCancelled, and what a user's function throws.
template <class Attempt, class Ready>
void wait_until(Rank& self, memmodel::Parking<>& spot, Attempt&& attempt, Ready&& ready)
{
  const WaitPolicy& policy = self.job.wait_policy();
  const int looks = policy.looks();
  for (int i = 0; i < looks; ++i) {
    if (attempt()) return;
    self.serve();
    memmodel::Native::pause();
  }
  int yields = policy.yields > 0 && self.yielding.pays() ? policy.yields : 0;
  for (int i = 0;; ++i) {
    if (attempt()) return;
    self.serve();
    if (i >= yields && policy.park) return detail::sleep_until(self, spot, attempt, ready);
    if ((i & 63) == 63) self.job.look_around(self);
    if (!self.yielding.yield(policy.longest_yield)) yields = 0;
  }
}

// The same for a wait that needs no work by the rank.
template <class Done>
void wait_until(Rank& self, memmodel::Parking<>& spot, Done&& done)
{
  wait_until(self, spot, done, done);
}

// For one with a core of its own who waits until another has done so many things, and has looked in vain so
// often: a look takes the line away in which the other one says how far it is. So the more pauses the more
// are lacking, and with each look. Says how many.
inline int pause_while_lacking(std::uint64_t things, int looks) noexcept
{
  constexpr std::uint64_t most = 64;
  const int pauses = (1 + static_cast<int>(std::min(things, most) / 4)) << std::min(looks, 3);
  for (int i = 0; i < pauses; ++i) memmodel::Native::pause();
  return pauses;
}

// For who need not wait, but gains if done() soon becomes true: for a microsecond, or where ranks share cores
// for a few yields, if those pay.
template <class Done>
void wait_a_moment(Rank& self, Done&& done)
{
  const WaitPolicy& policy = self.job.wait_policy();
  if (policy.yields == 0) {
    for (int i = 0; i < 64 && !done(); ++i) memmodel::Native::pause();
  } else if (self.yielding.pays()) {
    for (int i = 0; i < 16 && !done(); ++i)
      if (!self.yielding.yield(policy.longest_yield)) return;
  }
}

// For a loop of the program's own that asks again and again, and has found nothing: where ranks share cores
// it lets others run. It yields, or where somebody computes it naps for a millisecond at most (yielding.hpp),
// but not when it comes from work of its own: such a rank asks between the pieces of it, and does not wait.
// ready() as for wait_until(), but it may miss something: then all of the millisecond is slept.
template <class Ready>
void give_way(Rank& self, Ready&& ready)
{
  const WaitPolicy& policy = self.job.wait_policy();
  if (policy.spins > 0) return;
  if (!policy.park || self.yielding.pays())
    self.yielding.yield(policy.longest_yield);
  else if (self.yielding.asks_at_once())
    self.parking.nap([&] { return ready() || self.progress.is_ready() || self.job.cancelled(); }, 1);
  self.yielding.has_asked();
}

}  // namespace ranklet
