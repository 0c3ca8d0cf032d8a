#include "coll/schedule.hpp"

#include <cstring>

#include "base/error.hpp"
#include "coll/neighborhood.hpp"
#include "coll/transfer.hpp"

namespace ranklet::coll {

namespace {

Rank& rank_of(const Communicator& comm, int member)
{
  const CommShared& shared = comm.shared();
  const int first = shared.group->size();
  return member < first ? shared.group->member(member) : shared.other_group->member(member - first);
}

}  // namespace

Schedule::Schedule(Communicator& comm, Call call, int root, Life life)
    : Request(comm.self()), comm_(comm), me_(comm.board_rank()), number_(state(comm).next_operation(me_))
{
  shown.call = call;
  shown.root = root;
  persistent_ = life == Life::persistent;
  context_ = comm.context();
}

Schedule::~Schedule() = default;

void Schedule::keep(const Datatype* used)
{
  if (used) kept_.emplace_back(*used);
}

void Schedule::wait_for_peers(Stage stage)
{
  const Peers with = coll::peers(*comm_);
  for (int i = 0; i < with.count; ++i)
    if (with.first + i != me_) wait_for(with.first + i, stage);
}

Request& Schedule::launch()
{
  if (!persistent_) start();
  return *this;
}

void Schedule::start()
{
  operation_ = &state(*comm_).operations.meet(number_, ++starts_);
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
  next_ = 0;
  error_ = ErrorClass::success;
  done_.reset();
  active_ = true;
  mine.schedule = this;
  announce(Stage::come);
  advance();
}

void Schedule::announce(Stage stage)
{
  operation_->slot(me_).stage.publish(static_cast<std::uint64_t>(stage));
  const int members = comm_->shared().members();
  for (int i = 0; i < members; ++i)
    if (i != me_) rank_of(*comm_, i).parking.notify();
}

// Follows the chain of who waits for whom from our own slot, as far as the members have come, and does the
// steps of each that nobody else does at the moment.
bool Schedule::advance()
{
  int member = me_;
  obstacle_ = nullptr;
  for (int tries = 2 * comm_->shared().members() + 2; tries > 0 && !complete(); --tries) {
    Slot& slot = operation_->slot(member);
    const memmodel::TokenGuard guard(slot.token);
    if (!guard) return complete();
    Schedule* const schedule = slot.schedule;
    if (!schedule) {
      member = me_;
      continue;
    }
    if (schedule != this && schedule->op && !schedule->op->is_predefined()) {
      obstacle_ = &slot;
      obstacle_stage_ = slot.stage.value() + 1;
      return false;
    }
    const Step* const step = schedule->run();
    if (!step) {
      member = me_;
      continue;
    }
    const Slot& awaited = operation_->slot(step->member);
    if (!awaited.has_reached(Stage::come)) {
      obstacle_ = &awaited;
      obstacle_stage_ = static_cast<std::uint64_t>(Stage::come);
      return false;
    }
    member = step->member;
  }
  return complete();
}

bool Schedule::ready_to_advance() const noexcept
{
  return complete() || !obstacle_ || obstacle_->stage.value() >= obstacle_stage_;
}

const Step* Schedule::run()
{
  for (; next_ < steps_.size(); ++next_) {
    const Step& step = steps_[next_];
    if (step.action != Action::reach && step.member >= 0 &&
        !operation_->slot(step.member).has_reached(step.stage))
      return &step;
    try {
      perform(step);
    } catch (const Error& error) {
      // The others count on the stages that are still to come, so the rest is done too.
      if (error_ == ErrorClass::success) {
        error_ = error.error_class();
        error_message_ = error.message();
      }
    }
  }
  Slot& mine = operation_->slot(me_);
  // Also where the call has no such step: a member in another call, by mistake, may wait for it.
  if (!mine.has_reached(Stage::done)) announce(Stage::done);
  mine.schedule = nullptr;
  finish();
  return nullptr;
}

void Schedule::check_call(int member)
{
  const Shown& theirs = operation_->slot(member).shown;
  if (theirs.call != shown.call)
    fail(ErrorClass::other, "member %d has started the nonblocking form of %s, this one that of %s", member,
         name(theirs.call), name(shown.call));
  if (theirs.root != shown.root)
    fail(ErrorClass::root, "member %d gives the root %d, this one %d", member, static_cast<int>(theirs.root),
         static_cast<int>(shown.root));
}

void Schedule::check_amount(int member)
{
  if (operation_->slot(member).shown.bytes != shown.bytes)
    fail(ErrorClass::truncate, "member %d gives another amount of data", member);
}

void Schedule::perform(const Step& step)
{
  if (step.action == Action::reach) return announce(step.stage);
  if (step.member >= 0) check_call(step.member);
  const Shown* const theirs = step.member >= 0 ? &operation_->slot(step.member).shown : nullptr;
  switch (step.action) {
    case Action::nothing:
    case Action::reach:
      break;
    case Action::take_part:
      move(theirs->part, target(step.block), step.member);
      break;
    case Action::take_block:
      move(theirs->blocks[step.theirs], target(step.block), step.member);
      break;
    case Action::take_edge: {
      const int edge = matching_block(*comm_->topology, step.block, *theirs->topology, comm_->rank());
      move(theirs->blocks[edge], target(step.block), step.member);
      break;
    }
    case Action::exchange:
      if (!swap_parts(blocks[step.block], theirs->blocks[step.theirs]))
        fail(ErrorClass::truncate, "member %d gives another amount of data", step.member);
      break;
    case Action::fold:
      fold_operands(step, scratch ? scratch->address() : result);
      break;
    case Action::fold_to_root:
      fold_operands(step, theirs->result);
      break;
    case Action::take_slice:
      check_amount(step.member);
      copy_elements(element(theirs->result, step.begin, *type), element(result, step.begin, *type),
                    step.count, *type);
      break;
    case Action::place_result:
      copy_elements(scratch->address(), result, step.count, *type);
      break;
  }
}

void Schedule::move(const Part& from, const Part& to, int member)
{
  if (from.bytes() > to.bytes())
    fail(ErrorClass::truncate, "member %d gives %lld bytes, but there is room for %lld", member,
         static_cast<long long>(from.bytes()), static_cast<long long>(to.bytes()));
  copy(from.address, from.count, *from.type, to.address, to.count, *to.type);
}

void Schedule::fold_operands(const Step& step, void* to)
{
  for (int i = 0; i < peers.count; ++i) {
    check_call(peers.first + i);
    check_amount(peers.first + i);
  }
  fold(
      *op, *type, peers.count,
      [&](int i) { return element(operation_->slot(peers.first + i).shown.operands, fold_begin, *type); },
      step.begin, step.count, to);
}

ErrorClass Schedule::reap(Status* status)
{
  if (status) peek(status);
  if (!active_) return ErrorClass::success;
  active_ = false;
  state(*comm_).operations.leave(*operation_);
  operation_ = nullptr;
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
