#include "coll/schedule.hpp"

#include <cstring>

#include "base/fortran_site.hpp"
#include "coll/select.hpp"
#include "terms/error.hpp"

namespace ranklet::coll {

void Schedule::wait_for(const Peers& members, Stage stage)
{
  for (int i = members.first; i < members.first + members.count; ++i)
    if (i != me_) wait_for(i, stage);
}

bool Schedule::may_meet() const noexcept
{
  return select::all_meet(*comm_) && !is_owners_alone();
}

void Schedule::wait_for_all()
{
  if (may_meet())
    add({.action = Action::meet});
  else
    wait_for(peers, Stage::come);
}

void Schedule::start()
{
  CollState& members = state(*comm_);
  // What may fail for want of memory comes before the number is taken, which the others count on.
  if (copied_ > Slot::capacity) spare_copy_.make_room(static_cast<std::size_t>(copied_));
  if (persistent_) {
    operation_ = members.operations.enter(number_, series_, me_, starts_ + 1);
    ++starts_;
  } else {
    operation_ =
        members.operations.enter(0, members.nonblocking(me_).series, me_, members.operations_of(me_) + 1);
    number_ = members.next_operation(me_, call.signature);
  }
  Slot& mine = operation_.slot(me_);
  fill(mine);
  next_ = 0;
  looks_ = seen_ = 0;
  // The sides of a topology may differ, by mistake.
  reads_buffers_ = is_among_neighbors(call.signature.call());
  error_ = ErrorClass::success;
  done_.reset();
  active_ = true;
  // What waits for nobody is done with the first announcement.
  Stage first = Stage::come;
  for (; next_ < steps_.size() && steps_[next_].action == Action::reach; ++next_) first = steps_[next_].stage;
  const bool is_all = next_ == steps_.size();
  mine.work = is_all || is_owners_alone() ? nullptr : this;
  announce(is_all ? Stage::done : first);
  if (meets()) arrive();
  // Its readers have it in their caches since the last time: ours again before it is needed.
  if (Slot* const next = operation_.following(me_)) {
    memmodel::Native::prefetch_to_write(next);
    next->take_back_copy();
  }
  if (is_all) return finish();
  if (is_owners_alone()) {
    halt_.publish(next_);
    // Now other threads of the owner may end it.
    owner().progress.add(*this);
  }
  advance();
}

// Before the member has come.
void Schedule::fill(Slot& slot)
{
  slot.call = call;
  slot.shown = shown;
  if (!shows_copy()) return;
  unsigned char* const out = slot.room_for_copy(copied_, spare_copy_);
  if (op) {
    if (copied_ > 0) std::memcpy(out, shown.operands, static_cast<std::size_t>(copied_));
    return;
  }
  slot.call.bytes = copied_;
  if (copied_blocks_ >= 0 && !shown.blocks.are_equal())
    return pack_blocks(shown.blocks, copied_blocks_, copied_, out);
  const Part part = copied_blocks_ >= 0 ? shown.blocks.all(copied_blocks_) : shown.part;
  if (copied_blocks_ >= 0) slot.call.block = static_cast<std::uint16_t>(shown.blocks[0].bytes());
  pack(part.address, part.count, *part.type, 0, out, copied_);
}

// Whether others wait for this member to be done: those who have shown it their own buffers, of which it
// reads. An error may have come before it knew.
bool Schedule::is_awaited_to_be_done() const noexcept
{
  return reads_buffers_ || error_ != ErrorClass::success;
}

void Schedule::announce(Stage stage)
{
  invariant([&] { return !has_reached(me_, stage); }, "a slot's stage grows (members/helping.hpp, 1)");
  Slot& mine = operation_.slot(me_);
  // Before others may go on with the steps.
  announced_ = stage;
  mine.stage.publish(operation_.stage(number_of(stage)));
  mine.sleepers.notify();
  // Who waits for it nevertheless is in another call by mistake, and looks again after a while.
  if (stage == Stage::come ? !meets() : is_awaited_later() || error_ != ErrorClass::success) wake_others();
}

void Schedule::wake_others()
{
  const int members = comm_->shared().members();
  for (int i = 0; i < members; ++i) {
    if (i == me_) continue;
    Rank& rank = comm_->shared().member(i);
    if (is_owners_alone())
      rank.wake();
    else
      rank.parking.notify();
  }
}

void Schedule::arrive()
{
  const bool is_last = roll_call().arrive(comm_->shared().members(), [&](Findings& found) {
    try {
      check_all();
      found.agree = true;
      make_for_all(found);
    } catch (...) {
      // Each one finds its own, or, where memory has ended, does it for itself.
    }
  });
  if (is_last) wake_others();
}

bool Schedule::advance()
{
  if (complete()) return true;
  if (!is_owners_alone())
    advance_with_help();
  else
    owner().progress.advance(*this);
  return complete();
}

bool Schedule::work()
{
  const Step* const step = run();
  if (!step) return false;
  halt_.publish(next_);
  if (has_reached(step->member, Stage::come)) return true;
  const CallSignature theirs = look_for(step->member);
  if (!theirs) return true;
  give_up(step->member, theirs);
  return false;
}

bool Schedule::can_advance() const noexcept
{
  const std::uint64_t halt = halt_.value();
  return halt >= steps_.size() || can_do(steps_[halt]);
}

void Schedule::advance_with_help()
{
  if (meets() && !roll_call().is_complete()) return look_for_missing();
  const members::Stages counted{operation_.stage(number_of(Stage::none)),
                                operation_.stage(number_of(Stage::come)),
                                operation_.stage(number_of(Stage::done))};
  obstacle_ = members::help<memmodel::Native>(
      me_, comm_->shared().members(), counted, [&](int i) -> Slot& { return operation_.slot(i); },
      [&] { return complete(); });
  // Where another thread is at work nobody sleeps, and the place stays as it was: who leaves it and comes
  // again is a new sleeper to the deadlock watch.
  if (obstacle_.slot) sleep_at(&obstacle_.slot->sleepers);
  if (obstacle_.doubtful >= 0) watch(obstacle_.doubtful);
}

bool Schedule::ready_to_advance() const noexcept
{
  if (is_owners_alone()) return complete() || owner().progress.is_ready(*this);
  if (complete()) return true;
  if (!meets() || roll_call().is_complete()) return obstacle_.is_gone();
  // The others who come wake nobody.
  return is_in_another_call(missing());
}

namespace {

// While it lives its slot is busy (operation.hpp, 2), unless it is null: then its token says so.
class Busy {
 public:
  explicit Busy(Slot* slot) noexcept : slot_(slot)
  {
    if (slot_) slot_->is_busy.set(true);
    // Orders that, or the token's acquisition, before the looks at who has given up. Pairs with the heavy one
    // in await_readers().
    memmodel::Native::light_fence();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy()
  {
    if (slot_) slot_->is_busy.set(false);
  }

 private:
  Slot* const slot_;
};

}  // namespace

const Step* Schedule::run()
{
  if (const Step* const awaited = run_steps()) return awaited;
  end();
  return nullptr;
}

const Step* Schedule::run_steps()
{
  const Busy busy(is_owners_alone() ? &operation_.slot(me_) : nullptr);
  for (; next_ < steps_.size(); ++next_) {
    const Step& step = steps_[next_];
    if (!can_do(step)) return &step;
    try {
      perform(step);
    } catch (const Error& error) {
      // The others count on the stages that are still to come, so the rest is done too.
      note(error);
    }
  }
  return nullptr;
}

void Schedule::note(const Error& error)
{
  if (error_ != ErrorClass::success) return;
  error_ = error.error_class();
  error_message_ = error.message();
  is_mismatch_ = error.is_mismatch();
}

void Schedule::end()
{
  Slot& mine = operation_.slot(me_);
  // Also where the call has no such step.
  if (announced_ < Stage::done && is_awaited_to_be_done()) announce(Stage::done);
  if (is_owners_alone())
    owner().progress.remove(*this);
  else
    mine.work = nullptr;
  // Who waits for it may sleep elsewhere than at the owner's place.
  Rank& owner = this->owner();
  finish();
  owner.wake();
}

bool Schedule::is_valid() const noexcept
{
  if (!comm_ || next_ > steps_.size()) return false;
  const int members = comm_->shared().members();
  Stage reached = Stage::come;
  for (const Step& step : steps_) {
    if (step.action == Action::meet && &step != &steps_.front()) return false;
    if (step.member >= members || (step.member < 0 && step.action == Action::take_part)) return false;
    if (step.action != Action::reach) continue;
    if (step.stage <= reached) return false;
    reached = step.stage;
  }
  return !active_ || (next_ == steps_.size() && (has_reached(me_, Stage::done) || !is_awaited_to_be_done()) &&
                      (is_owners_alone() || !operation_.slot(me_).work));
}

ErrorClass Schedule::reap(Status* status)
{
  if (status) peek(status);
  if (!active_) return ErrorClass::success;
  active_ = false;
  sleep_at(nullptr);
  obstacle_ = {};
  state(*comm_).operations.leave(operation_, me_);
  if (error_ != ErrorClass::success) state(*comm_).forget_last_call(me_);
  return error_;
}

Request::CollectiveWait Schedule::collective() const
{
  CollectiveWait wait{call.signature.text() + place_of_other_call(shown.site), {}};
  if (active_) wait.absent = members_absent(*comm_, [&](int i) { return has_reached(i, Stage::come); });
  return wait;
}

void Schedule::check_may_be_let_go() const
{
  // §6.12, §6.13: only inactive ones may be freed. Of a complete one nothing is lost.
  if (!complete()) fail(ErrorClass::request, "an active nonblocking collective may not be freed");
}

}  // namespace ranklet::coll
