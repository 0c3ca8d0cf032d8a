// What the steps of a schedule do.
#include <cstring>

#include "base/fortran_site.hpp"
#include "coll/neighborhood.hpp"
#include "coll/part_transfer.hpp"
#include "coll/schedule.hpp"
#include "terms/error.hpp"

namespace ranklet::coll {

Sites Schedule::sites(int member) const
{
  return {.theirs = operation_.slot(member).shown.site, .mine = shown.site};
}

void Schedule::check_call(int member)
{
  const Slot& slot = operation_.slot(member);
  if (has_reached(member, Stage::done) && slot.gave_up) [[unlikely]]
    fail_mismatch(ErrorClass::other, "member %d has failed in %s", member, call.signature.text().c_str());
  const ShownCall& theirs = slot.call;
  if (theirs.signature != call.signature)
    reject_call("", member, theirs.signature, call.signature, sites(member));
  if (theirs.rounds != call.rounds)
    fail_mismatch(ErrorClass::other,
                  "member %d has made %lld blocking collectives before this one%s, this one %lld%s", member,
                  static_cast<long long>(theirs.rounds), place_of_other_call(slot.shown.site).c_str(),
                  static_cast<long long>(call.rounds), place_of_other_call(shown.site).c_str());
}

void Schedule::check_amount(int member)
{
  const Count theirs = operation_.slot(member).call.bytes;
  if (theirs != call.bytes) reject_amount(member, theirs, call.bytes, sites(member));
}

void Schedule::perform(const Step& step)
{
  if (step.action == Action::reach) return announce(step.stage);
  if (step.member >= 0) check_call(step.member);
  const Slot* const theirs = step.member >= 0 ? &operation_.slot(step.member) : nullptr;
  switch (step.action) {
    case Action::nothing:
    case Action::reach:
      break;
    case Action::meet:
      check_all();
      break;
    case Action::take_part:
      move(theirs->part(), target(step.block), step.member);
      break;
    case Action::take_block:
      move(theirs->block(step.theirs, comm_->size()), target(step.block), step.member);
      break;
    case Action::take_edge: {
      const comm::Topology& source = *theirs->shown.topology;
      const int edge = matching_block(*comm_->topology, step.block, source, comm_->rank());
      move(theirs->block(edge, static_cast<int>(source.destinations.size())), target(step.block),
           step.member);
      break;
    }
    case Action::exchange:
      if (!swap_parts(blocks[step.block], theirs->shown.blocks[step.theirs]))
        reject_amount(step.member, theirs->shown.blocks[step.theirs].bytes(), blocks[step.block].bytes(),
                      sites(step.member));
      break;
    case Action::fold:
      // Also after it has failed to agree: nothing is made of what does not fit together.
      check_all();
      if (const unsigned char* const made = shows_copy() ? made_for_all(copied_) : nullptr)
        copy_elements(made, result, step.count, *type);
      else
        fold_operands(step, scratch ? scratch->address() : result);
      break;
    case Action::take_all: {
      check_all();
      // Then they are copies, which stay.
      if (call.bytes != blocks[0].bytes()) reject_amount(me_, call.bytes, blocks[0].bytes(), sites(me_));
      const Part all = blocks.all(peers.count);
      if (const unsigned char* const made = made_for_all(all.bytes()); made && all.bytes() > 0)
        unpack(all.address, all.count, *all.type, 0, made, all.bytes());
      else
        for (int i = 0; i < peers.count; ++i) move(operation_.slot(i).part(), blocks[i], i);
      break;
    }
    case Action::fold_to_root:
      check_all();
      fold_operands(step, theirs->shown.result);
      break;
    case Action::take_slice:
      check_amount(step.member);
      copy_elements(element(theirs->shown.result, step.begin, *type), element(result, step.begin, *type),
                    step.count, *type);
      break;
    case Action::place_result:
      copy_elements(scratch->address(), result, step.count, *type);
      break;
  }
}

void Schedule::move(const Part& from, const Part& to, int member)
{
  if (from.bytes() != to.bytes()) reject_amount(member, from.bytes(), to.bytes(), sites(member));
  copy(from.address, from.count, *from.type, to.address, to.count, *to.type);
}

void Schedule::check_all()
{
  if (meets() && roll_call().is_complete() && roll_call().result().agree) return;
  for (int i = 0; i < peers.count; ++i) {
    check_call(peers.first + i);
    check_amount(peers.first + i);
  }
}

// From copies alone, so that nobody's buffers are read who does not wait for it.
void Schedule::make_for_all(Findings& found)
{
  const Collective kind = call.signature.call();
  if (!shows_copy()) return;
  if (kind == Collective::allreduce) {
    fold_operands({.count = count}, found.make_room(copied_));
    found.set_result(copied_);
  } else if (kind == Collective::allgather) {
    unsigned char* out = found.make_room(copied_ * peers.count);
    for (int i = 0; i < peers.count && copied_ > 0; ++i, out += copied_)
      std::memcpy(out, operation_.slot(i).copied(), static_cast<std::size_t>(copied_));
    found.set_result(copied_ * peers.count);
  }
}

void Schedule::fold_operands(const Step& step, void* to)
{
  fold(
      *op, brackets, *type, peers.count,
      [&](int i) { return element(operation_.slot(peers.first + i).operands(), fold_begin, *type); },
      step.begin, step.count, to);
}

}  // namespace ranklet::coll
