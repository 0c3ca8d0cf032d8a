// How a schedule that waits finds members that are in other calls, and ends without them.
#include "coll/schedule.hpp"
#include "terms/error.hpp"

namespace ranklet::coll {

// From its neighbour on: it looks at n members at most, and mostly at one that has not come. Whether one that
// has come is in another call is asked too, as that may have no meeting, or not this one.
void Schedule::look_for_missing()
{
  sleep_at(&roll_call().sleepers());
  while (missing() != me_ && has_reached(missing(), Stage::come) && !is_in_another_call(missing())) ++seen_;
  if (missing() != me_) watch(missing());
}

// What the member, which has not come, is seen to call instead, or empty.
CallSignature Schedule::look_for(int absent)
{
  const WaitPolicy& policy = owner().job.wait_policy();
  if (++looks_ <= policy.spins && (looks_ & 63) != 0) return {};
  const CollState& members = state(*comm_);
  const CallSignature theirs = members.astray(absent, number_, call.signature, call.rounds);
  return has_reached(absent, Stage::come) ? CallSignature{} : theirs;
}

// We hold no token. Whether the member that is waited for is in another call.
void Schedule::watch(int member)
{
  const CallSignature theirs =
      is_in_another_call(member) ? operation_.slot(member).call.signature : look_for(member);
  if (!theirs) return;
  Slot& mine = operation_.slot(me_);
  const memmodel::TokenGuard guard(mine.token);
  // Once all have met the others count on what this one shows.
  if (!guard || !mine.work || (meets() && roll_call().is_complete())) return;
  give_up(member, theirs);
}

void Schedule::give_up(int member, CallSignature theirs)
{
  Slot& mine = operation_.slot(me_);
  try {
    reject_call("", member, theirs, call.signature,
                {.theirs = state(*comm_).site_of(member, theirs), .mine = shown.site});
  } catch (const Error& error) {
    note(error);
  }
  const bool lends = mine.call.where == Where::own_buffers;
  if (lends || !has_reached(me_, Stage::done)) announce(Stage::gave_up);
  if (lends) await_readers();
  // Who else sleeps there sees the same.
  (meets() ? roll_call().sleepers() : operation_.slot(member).sleepers).notify();
  end();
}

// For who has given up, until nobody is reading, or writing, its buffers: the steps of each of the others
// that have begun before that was to be seen. Some member may never come, so the end of all is not waited
// for.
void Schedule::await_readers() const noexcept
{
  memmodel::Native::heavy_fence();
  const int members = comm_->shared().members();
  for (int i = 0; i < members; ++i) {
    const Slot& theirs = operation_.slot(i);
    // Who has given up, too, waits for us in the same way, with its token.
    const auto is_at_work = [&] {
      return !has_reached(i, Stage::gave_up) && (theirs.token.is_held() || theirs.is_busy.get());
    };
    while (i != me_ && is_at_work()) memmodel::Native::yield();
  }
}

}  // namespace ranklet::coll
