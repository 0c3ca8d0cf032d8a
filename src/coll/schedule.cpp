#include "coll/schedule.hpp"

#include <cstring>

#include "terms/call_note.hpp"
#include "terms/error.hpp"
#include "terms/error.hpp"

namespace ranklet::coll {

namespace {

Rank& rank_of(const Communicator& comm, int member)
{
  const CommShared& shared = comm.shared();
  const int first = shared.group->size();
  return member < first ? shared.group->member(member) : shared.other_group->member(member - first);
}

}  // namespace

Schedule::Schedule(Communicator& comm, Collective call, int root, Life life, const Op* compared)
    : Request(comm.self()), comm_(comm), me_(comm.board_rank())
{
  shown.signature =
      CallSignature(call, life == Life::once ? Form::nonblocking : Form::persistent, root, compared);
  shown.site = current_call_site();
  shown.rounds = state(comm).rounds_of(me_);
  persistent_ = life == Life::persistent;
  context_ = comm.context();
}

Schedule::~Schedule()
{
  // On the list if its job was stopped.
  if (is_owners_alone()) owner().progress.remove(*this);
}

void Schedule::keep_types()
{
  const auto keep = [&](const Datatype* used) {
    // Predefined ones live as long as the program.
    if (used && !used->is_predefined()) kept_.emplace_back(*used);
  };
  for (const Datatype* used :
       {shown.part.type, receive.type, shown.blocks.common_type(), blocks.common_type(), type})
    keep(used);
  for (const auto* types : {&send_types, &receive_types})
    for (const Datatype* used : *types) keep(used);
}

void Schedule::wait_for(const Peers& members, Stage stage)
{
  for (int i = members.first; i < members.first + members.count; ++i)
    if (i != me_) wait_for(i, stage);
}

Request& launch(std::unique_ptr<Schedule> schedule)
{
  schedule->keep_types();
  CollState& members = state(*schedule->comm_);
  members.expect_operations(schedule->me_);
  if (schedule->persistent_)
    schedule->number_ = members.next_operation(schedule->me_, schedule->shown.signature);
  else
    schedule->start();
  return *schedule.release();
}

void Schedule::start()
{
  CollState& members = state(*comm_);
  // What may fail for want of memory comes before the number is taken, which the others count on.
  if (!persistent_) number_ = members.operations_of(me_) + 1;
  operation_ = &members.operations.meet(number_, starts_ + 1);
  ++starts_;
  if (!persistent_) members.next_operation(me_, shown.signature);
  Slot& mine = operation_->slot(me_);
  mine.shown = shown;
  if (show_small && op) {
    std::memcpy(mine.data, shown.operands, static_cast<std::size_t>(count * type->extent()));
    mine.shown.operands = mine.data;
  } else if (show_small) {
    const Part& part = shown.part;
    pack(part.address, part.count, *part.type, 0, mine.data, part.bytes());
    mine.shown.part = {mine.data, part.bytes(), &predefined(Basic::byte)};
  }
  mine.gave_up = false;
  next_ = 0;
  looks_ = 0;
  error_ = ErrorClass::success;
  done_.reset();
  active_ = true;
  mine.work = is_owners_alone() ? nullptr : this;
  announce(Stage::come);
  if (is_owners_alone()) {
    halt_.publish(0);
    // Now other threads of the owner may end it.
    owner().progress.add(*this);
  }
  advance();
}

void Schedule::announce(Stage stage)
{
  operation_->slot(me_).stage.publish(static_cast<std::uint64_t>(stage));
  const int members = comm_->shared().members();
  for (int i = 0; i < members; ++i) {
    if (i == me_) continue;
    Rank& rank = rank_of(*comm_, i);
    if (is_owners_alone())
      rank.wake();
    else
      rank.parking.notify();
  }
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
  if (operation_->slot(step->member).has_reached(Stage::come)) return true;
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
  constexpr members::Stages stages{static_cast<std::uint64_t>(Stage::come),
                                   static_cast<std::uint64_t>(Stage::done)};
  obstacle_ = members::help<memmodel::Native>(
      me_, comm_->shared().members(), stages, [&](int i) -> Slot& { return operation_->slot(i); },
      [&] { return complete(); });
  if (obstacle_.absent >= 0) watch(obstacle_.absent);
}

bool Schedule::ready_to_advance() const noexcept
{
  if (is_owners_alone()) return complete() || owner().progress.is_ready(*this);
  return complete() || obstacle_.is_gone();
}

const Step* Schedule::run()
{
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
  end();
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
  Slot& mine = operation_->slot(me_);
  // Also where the call has no such step: a member in another call, by mistake, may wait for it.
  if (!mine.has_reached(Stage::done)) announce(Stage::done);
  if (is_owners_alone())
    owner().progress.remove(*this);
  else
    mine.work = nullptr;
  finish();
}

// What the member, which has not come, is seen to call instead, or empty.
CallSignature Schedule::look_for(int absent)
{
  const WaitPolicy& policy = owner().job.wait_policy();
  if (++looks_ <= policy.spins && (looks_ & 63) != 0) return {};
  const CollState& members = state(*comm_);
  const CallSignature theirs = members.astray(absent, number_, shown.signature, shown.rounds);
  return operation_->slot(absent).has_reached(Stage::come) ? CallSignature{} : theirs;
}

// We hold no token.
void Schedule::watch(int absent)
{
  const CallSignature theirs = look_for(absent);
  if (!theirs) return;
  Slot& mine = operation_->slot(me_);
  const memmodel::TokenGuard guard(mine.token);
  if (guard && mine.work) give_up(absent, theirs);
}

void Schedule::give_up(int member, CallSignature theirs)
{
  Slot& mine = operation_->slot(me_);
  try {
    reject_call("", member, theirs, shown.signature,
                {.theirs = state(*comm_).site_of(member, theirs), .mine = shown.site});
  } catch (const Error& error) {
    note(error);
  }
  if (!mine.has_reached(Stage::done)) mine.gave_up = true;
  end();
}

ErrorClass Schedule::reap(Status* status)
{
  if (status) peek(status);
  if (!active_) return ErrorClass::success;
  active_ = false;
  state(*comm_).operations.leave(*operation_);
  operation_ = nullptr;
  if (error_ != ErrorClass::success) state(*comm_).forget_last_call(me_);
  return error_;
}

void Schedule::check_may_be_let_go() const
{
  // §6.12, §6.13: only inactive ones may be freed. Of a complete one nothing is lost.
  if (!complete()) fail(ErrorClass::request, "an active nonblocking collective may not be freed");
}

void Schedule::release()
{
  if (!active_) delete this;
}

}  // namespace ranklet::coll
