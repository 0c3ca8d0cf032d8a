// What the steps of a schedule do.
#include "base/fortran_site.hpp"
#include "coll/by_last.hpp"
#include "coll/neighborhood.hpp"
#include "coll/part_transfer.hpp"
#include "coll/schedule.hpp"
#include "terms/error.hpp"

namespace ranklet::coll {

Sites Schedule::sites(int member) const
{
  return {.theirs = operation_.slot(member).shown.site, .mine = shown.site};
}

void Schedule::check_has_not_given_up(int member)
{
  if (has_reached(member, Stage::gave_up)) [[unlikely]]
    fail_mismatch(ErrorClass::other, "member %d has failed in %s", member, call.signature.text().c_str());
}

void Schedule::check_call(int member)
{
  check_has_not_given_up(member);
  const Slot& slot = operation_.slot(member);
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
  if (step.action == Action::reach) {
    // The line that the others have would have to come back for it.
    if (step.stage != Stage::done || is_awaited_to_be_done()) announce(step.stage);
    return;
  }
  const bool is_others = step.member >= 0 && step.member != me_;
  if (is_others) check_call(step.member);
  const Slot* const theirs = step.member >= 0 ? &operation_.slot(step.member) : nullptr;
  reads_buffers_ |= is_others && theirs->call.where == Where::own_buffers;
  switch (step.action) {
    case Action::nothing:
    case Action::reach:
      break;
    case Action::meet:
      check_all();
      break;
    case Action::take_part:
      move(part_of(step.member), target(step.block), step.member);
      break;
    case Action::take_block:
      move(block_of(step.member, step.theirs, comm_->size()), target(step.block), step.member);
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
      if (const unsigned char* const made = made_for_all())
        copy_elements(element(made, made_begin, *type), result, step.count, *type);
      else
        fold_operands(step, scratch ? scratch->address() : result);
      break;
    case Action::take_all:
      check_all();
      // Then they are copies, which stay.
      take_all(step.theirs);
      break;
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

void Schedule::take_all(int theirs)
{
  const unsigned char* const made = made_for_all();
  if (!made) note_buffers();
  const int n = peers.count;
  if (call.signature.call() == Collective::alltoall) {
    const Count block = copied_ / n;
    for (int i = 0; i < n; ++i)
      move(made ? Part{addresses_in(made)[i] + block * theirs, block, &predefined(Basic::byte)}
                : block_of(i, theirs, n),
           blocks[i], i);
    return;
  }
  if (call.bytes != blocks[0].bytes()) reject_amount(me_, call.bytes, blocks[0].bytes(), sites(me_));
  if (const Part received = blocks.all(n); made)
    unpack(received.address, received.count, *received.type, 0, made, received.bytes());
  else
    for (int i = 0; i < n; ++i) move(part_of(i), blocks[i], i);
}

void Schedule::check_all()
{
  if (meets() && roll_call().is_complete() && roll_call().result().agree) return;
  for (int i = 0; i < peers.count; ++i) {
    if (peers.first + i == me_) continue;
    check_call(peers.first + i);
    if (have_equal_amounts()) check_amount(peers.first + i);
  }
}

// From copies alone, so that nobody's buffers are read who does not wait for it.
void Schedule::make_for_all(Findings& found)
{
  if (made_bytes == 0) return;
  const auto shown_by = [&](int i) { return operation_.slot(i).copied(); };
  for (int i = 0; i < peers.count; ++i)
    if (operation_.slot(i).call.where == Where::own_buffers) return;
  unsigned char* const out = found.make_room(made_bytes);
  switch (call.signature.call()) {
    case Collective::allgather:
      put_side_by_side(peers.count, copied_, shown_by, out);
      break;
    case Collective::alltoall:
      list_addresses(peers.count, shown_by, out);
      break;
    case Collective::scan:
    case Collective::exscan:
      scan_all(*op, *type, peers.count, shown_by, count, out);
      break;
    default:
      fold(*op, brackets, *type, peers.count, shown_by, 0, count, out);
  }
  found.set_result(made_bytes);
}

// Of all peers, before they are read. Who had found one of them in another call may have given up after all
// have met, when check_all() asks no more.
void Schedule::note_buffers()
{
  for (int i = peers.first; i < peers.first + peers.count; ++i) {
    if (i == me_ || operation_.slot(i).call.where != Where::own_buffers) continue;
    reads_buffers_ = true;
    check_has_not_given_up(i);
  }
}

// In place, a result that begins elsewhere would overwrite them before they are read.
const void* Schedule::operands_of(int member) const noexcept
{
  const bool is_here = member == me_ && (shown.operands != result || fold_begin == 0);
  return is_here ? shown.operands : operation_.slot(member).operands();
}

void Schedule::fold_operands(const Step& step, void* to)
{
  note_buffers();
  fold(
      *op, brackets, *type, folded == everybody ? peers.count : folded,
      [&](int i) { return element(operands_of(peers.first + i), fold_begin, *type); }, step.begin, step.count,
      to);
}

}  // namespace ranklet::coll
