// A nonblocking collective of one member: a list of steps, and the request that says when they are done.
//
// A step waits until some member has reached a stage of the operation and then does a bit of work: it copies
// or reduces from the buffers that the members show. The list is made once; a persistent request goes through
// it at each start. Schedules that are not needed any more stay in the member's stock, lists and all.
//
// Thread safety: built and started by the owner. The steps are done by whoever holds the token of the owner's
// slot: the owner, or a member that waits for it (helping), so a collective goes on although its owner does
// not enter MPI again. With a user's operator only the owner's threads do them: it is on the rank's
// ProgressList, and its slot has no schedule that others could help.
#pragma once

#include <memory>
#include <vector>

#include "base/ref.hpp"
#include "coll/fold.hpp"
#include "coll/nonblocking.hpp"
#include "coll/operation.hpp"
#include "coll/root.hpp"
#include "coll/round.hpp"
#include "datatype/op.hpp"
#include "p2p/stock.hpp"
#include "ranks/request.hpp"

namespace ranklet::coll {

class Schedule;

struct GiveBack {
  void operator()(Schedule* schedule) const noexcept;
};
using ScheduleHolder = std::unique_ptr<Schedule, GiveBack>;

enum class Action : std::uint8_t {
  nothing,
  meet,          // all members; if at all, it is the first step
  reach,         // stage: the member comes to it; waits for nobody
  take_part,     // what `member` shows as its part, into block `block`
  take_block,    // what `member` shows as its block for us (`theirs`), into block `block`
  take_edge,     // what `member` shows as its block along our incoming edge `block`
  take_all,      // what all show as their parts, or as their blocks for us (`theirs`), into all blocks
  exchange,      // block `block` with what `member` shows as its block `theirs`
  fold,          // elements [begin, begin + count) of all peers' operands
  fold_to_root,  // the same, into `member`'s result
  take_slice,    // elements [begin, begin + count) of `member`'s result
  place_result,  // from the scratch to where it belongs
};

struct Step {
  static constexpr int first_part = -1;

  Action action = Action::nothing;
  Stage stage = Stage::come;
  int member = -1;         // that must have reached the stage; -1: none, or all (meet)
  int block = first_part;  // first_part: the part that the schedule receives
  int theirs = 0;
  Count begin = 0;
  Count count = 0;
};

class Schedule final : public Request, public OwnerOperation {
 public:
  explicit Schedule(Rank& owner) : Request(owner) {}

  // The parts of a schedule, to be set before it starts.
  ShownCall call;
  ShownOperands shown{};
  Part receive;            // block first_part
  Blocks blocks;           // the other ones
  Peers peers{};           // who is met, and whose operands are folded: all,
  int folded = everybody;  // or the first ones of them, for prefixes
  Count fold_begin = 0;    // where in the operands the result's first element is
  Count made_bytes = 0;    // of what the last one to come makes for all whom it meets, if anything;
  Count made_begin = 0;    // and where in it the result's first element is
  void* result = nullptr;
  Count count = 0;  // elements of the operands
  const Datatype* type = nullptr;
  std::unique_ptr<Scratch> scratch;  // takes the result in place of `result` until place_result
  Ref<const Op> op;
  Brackets brackets = Brackets::pairs;

  // What is shown is a copy of so many bytes: of a part, operands, or so many blocks.
  void show_copy(Count bytes, int blocks_of_it = no_blocks)
  {
    copied_ = bytes;
    copied_blocks_ = blocks_of_it;
  }
  bool shows_copy() const noexcept { return copied_ != not_copied; }

  // Sets shown.blocks, or blocks, to n blocks. Arrays are read here and never again: the standard has the
  // caller keep them (MPI 5.0 §6.12), but not all do.
  void show_blocks(const Blocks& send, int n) { shown.blocks = send.with_arrays_in(send_arrays_, n); }
  void take_blocks(const Blocks& recv, int n) { blocks = recv.with_arrays_in(receive_arrays_, n); }

  void add(const Step& step) { steps_.push_back(step); }
  void wait_for(int member, Stage stage) { add({Action::nothing, stage, member}); }
  void reach(Stage stage) { add({Action::reach, stage}); }
  // Waits until all peers have come, by a step `meet` if may_meet(), when all members call this, and first.
  void wait_for_all();
  // The same, for steps that wait for each of them anyway.
  void meet_if_many()
  {
    if (may_meet()) wait_for_all();
  }
  bool may_meet() const noexcept;
  // All of them but this one.
  void wait_for(const Peers& members, Stage stage);

  int me() const noexcept { return me_; }
  Communicator& comm() const noexcept { return *comm_; }

  // For the holder of the token, or of the claim: does what can be done. The step that must wait, or null
  // after the last one, when the schedule may be gone.
  const Step* run();

  bool advance() override;
  bool ready_to_advance() const noexcept override;
  bool can_advance() const noexcept override;
  ErrorClass reap(Status* status) override;
  void peek(Status* status) const override { *status = Status{}; }
  void start() override;
  void check_may_be_let_go() const override;
  void release() override;
  void discard() noexcept override;
  CollectiveWait collective() const override;

  // Whether it is as it must be: a schedule that is complete, or inactive. For tests.
  bool is_valid() const noexcept;

 private:
  template <class T>
  friend class p2p::Stock;
  friend struct GiveBack;
  friend ScheduleHolder new_schedule(Communicator&, Collective, int, Life, const Op*);
  friend Request& launch(ScheduleHolder schedule);
  void give_back() noexcept;
  // Lets go of what it refers to; the communicator, whose state owns it, is returned.
  CommRef forget() noexcept;

  // Whether it calls functions of the user.
  bool is_owners_alone() const noexcept { return op && !op->is_predefined(); }
  void fill(Slot& slot);
  bool work() override;
  bool can_do(const Step& step) const noexcept
  {
    if (step.action == Action::meet) return roll_call().is_complete();
    // What this member shows itself is there.
    if (step.member == me_ && step.stage == Stage::come) return true;
    // Who is in another call may never reach the stage: that is to be said.
    return step.action == Action::reach || step.member < 0 || has_reached(step.member, step.stage) ||
           is_in_another_call(step.member);
  }
  RollCall& roll_call() const noexcept { return operation_.common(); }
  bool meets() const noexcept { return !steps_.empty() && steps_.front().action == Action::meet; }
  // Others may wait for a stage that this one comes to after all have met.
  bool is_awaited_later() const noexcept
  {
    return !meets() || (!shows_copy() && call.signature.call() != Collective::barrier);
  }
  // Others than those give and get what they say in their calls.
  bool have_equal_amounts() const noexcept { return op || call.signature.root() == CallSignature::by_last; }
  void arrive();
  void check_all();
  void make_for_all(Findings& found);
  // What it has made; null if nothing.
  const unsigned char* made_for_all() const noexcept
  {
    return meets() && made_bytes > 0 ? roll_call().result().result(made_bytes) : nullptr;
  }
  // Of those whom it meets the first one not seen come, or itself.
  int missing() const noexcept
  {
    const int member = me_ + 1 + seen_, members = comm_->shared().members();
    return member < members ? member : member - members;
  }
  bool is_in_another_call(int member) const noexcept
  {
    return has_reached(member, Stage::come) && operation_.slot(member).call.signature != call.signature;
  }
  void look_for_missing();
  void advance_with_help();
  const Step* run_steps();
  void perform(const Step& step);
  // What a member gives. Ours is read where it is: the others have taken our slot's line, and the copy's.
  Part part_of(int member) const { return member == me_ ? shown.part : operation_.slot(member).part(); }
  Part block_of(int member, int which, int n) const
  {
    return member == me_ ? shown.blocks[which] : operation_.slot(member).block(which, n);
  }
  const void* operands_of(int member) const noexcept;
  void move(const Part& from, const Part& to, int member);
  void take_all(int theirs);
  void fold_operands(const Step& step, void* to);
  bool is_awaited_to_be_done() const noexcept;
  void note_buffers();
  void announce(Stage stage);
  void wake_others();
  Part target(int block) const { return block == Step::first_part ? receive : blocks[block]; }
  void keep_types();
  bool has_reached(int member, Stage stage) const noexcept
  {
    return operation_.has_reached(member, number_of(stage));
  }
  // Of the calls of that member and of this one.
  Sites sites(int member) const;
  void check_has_not_given_up(int member);
  void check_call(int member);
  void check_amount(int member);
  CallSignature look_for(int absent);
  void watch(int member);
  void give_up(int member, CallSignature theirs);
  void await_readers() const noexcept;
  void note(const Error& error);
  void end();

  p2p::Stocked<Schedule> stocked_;
  CommRef comm_;
  int me_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t starts_ = 0;  // of a persistent one
  std::vector<Step> steps_;
  std::vector<Ref<const Datatype>> kept_;
  BlockArrays send_arrays_, receive_arrays_;
  Operation operation_;
  Operations::Series series_;  // of its starts, if it is persistent
  static constexpr int everybody = -1;
  static constexpr int no_blocks = -1;
  static constexpr Count not_copied = -1;
  Count copied_ = not_copied;
  int copied_blocks_ = no_blocks;
  // For a slot that has no room for the next copy. Not the member's: several threads may start persistent
  // ones.
  GrowingMemory spare_copy_;
  std::size_t next_ = 0;           // step; under the token, or the claim
  bool reads_buffers_ = false;     // others' own ones; as next_
  Stage announced_ = Stage::none;  // the last one; as next_
  memmodel::Sequence<> halt_;      // the step at which the owner alone has stopped
  int looks_ = 0;                  // of the owner, in vain
  ErrorClass error_ = ErrorClass::success;

  // The owner's notes of what stood in the way of its last advance(): it may sleep until that is gone; and of
  // those whom it meets, how many after itself it has seen come to this call.
  members::Obstacle<Slot> obstacle_;
  int seen_ = 0;
};

// An empty schedule from the member's stock. compared: see CallSignature.
ScheduleHolder new_schedule(Communicator& comm, Collective call, int root, Life life,
                            const Op* compared = nullptr);

// Ends the making of a schedule: it takes the communicator's next number (members make their schedules in the
// same order), and starts unless it is persistent. Where memory ends no number is taken, so that the
// communicator is as it was.
Request& launch(ScheduleHolder schedule);

}  // namespace ranklet::coll
