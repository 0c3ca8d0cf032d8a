// Schedules of the collectives that combine data. Brackets are those of fold.hpp.
#include "coll/lines.hpp"
#include "coll/nonblocking.hpp"
#include "coll/operands.hpp"
#include "coll/schedule.hpp"

namespace ranklet::coll {

namespace {

// A schedule that shows `count` operands, copied if their bytes may be: select::travels() or its like says
// that. The type fits the operator, unless the member has no operands.
template <class MayTravel>
ScheduleHolder reduction(Communicator& comm, Collective call, int root, Life life, const void* send,
                         void* recv, Count count, const Datatype& type, const Op& op, MayTravel&& may_travel)
{
  auto schedule = new_schedule(comm, call, root, life, compared_op(comm, op));
  schedule->op = Ref<const Op>(op);
  schedule->brackets = brackets(comm, op);
  schedule->type = &type;
  schedule->count = count;
  schedule->result = recv;
  schedule->peers = peers(comm);
  schedule->shown.operands = send == in_place ? recv : send;
  schedule->shown.result = recv;
  // What is copied, if it may be: who agrees on it copies alike.
  const Count bytes = operand_bytes(count, type);
  schedule->call.bytes = bytes;
  if (operands_are_bytes(type) && may_travel(bytes)) schedule->show_copy(bytes);
  return schedule;
}

// The end of a schedule whose result covers operands that others still read: it is kept apart until they are
// done. Otherwise the others are only waited for.
void place_after_readers(Schedule& schedule, Count count, const Peers& readers, bool covers)
{
  schedule.reach(Stage::done);
  if (!schedule.shows_copy()) schedule.wait_for(readers, Stage::done);
  if (!covers || schedule.shows_copy()) return;
  schedule.scratch = std::make_unique<Scratch>(count, *schedule.type);
  schedule.add({.action = Action::place_result, .count = count});
}

// Of `total` operands that members give; `awaited` ones' are folded, and what of the sum this one takes is
// [begin, begin + count).
Request& reduction_in_lines(Communicator& comm, Collective call, int root, Life life, const void* send,
                            void* recv, Count total, Count begin, Count count, const Datatype& type,
                            const Op& op, const Peers& awaited)
{
  Exchanged what = exchanged(call, life, root, &op);
  what.awaited = awaited;
  what.given = {send == in_place ? recv : send, total, &type};
  what.gives = true;
  what.takes = Exchanged::Takes::sum;
  what.result = recv;
  what.begin = begin;
  what.count = count;
  what.op = &op;
  const bool is_prefix = call == Collective::scan || call == Collective::exscan;
  what.brackets = is_prefix ? Brackets::from_left : brackets(comm, op);
  return exchange(comm, what, life);
}

// `total` operands of which this member reduces and gets [begin, begin + count).
Request& start_reduce_part(Communicator& comm, const void* send, void* recv, Count total, Count begin,
                           Count count, const Datatype& type, const Op& op, Life life)
{
  if (select::in_lines(comm) && operands_travel_in_cell(total, type))
    return reduction_in_lines(comm, Collective::reduce_scatter, 0, life, send, recv, total, begin, count,
                              type, op, {0, comm.size()});
  check_valid_for(op, type);
  auto schedule = reduction(comm, Collective::reduce_scatter, 0, life, send, recv, total, type, op,
                            [&](Count bytes) { return select::travels(comm, bytes, Slot::capacity); });
  schedule->fold_begin = schedule->made_begin = begin;
  if (schedule->shows_copy()) schedule->made_bytes = total * type.extent();
  schedule->wait_for_all();
  schedule->add({.action = Action::fold, .count = count});
  place_after_readers(*schedule, count, schedule->peers, send == in_place);
  return launch(std::move(schedule));
}

Request& prefix(Communicator& comm, Collective call, const void* send, void* recv, Count count,
                const Datatype& type, const Op& op, Life life)
{
  if (comm.is_inter()) fail(ErrorClass::comm, "the communicator is an intercommunicator");
  if (select::in_lines(comm) && operands_travel_in_cell(count, type))
    return reduction_in_lines(comm, call, 0, life, send, recv, count, 0, count, type, op,
                              {0, comm.rank() + (call == Collective::scan ? 1 : 0)});
  check_valid_for(op, type);
  const Count bytes = count * type.extent();
  const bool by_last = op.is_predefined() && operands_are_bytes(type) && select::scans_by_last(comm, bytes);
  auto schedule =
      reduction(comm, call, by_last ? CallSignature::by_last : 0, life, send, recv, count, type, op,
                [&](Count all) { return by_last || select::travels_to_all(comm, all, op, Slot::capacity); });
  schedule->brackets = Brackets::from_left;
  schedule->folded = comm.rank() + (call == Collective::scan ? 1 : 0);
  if (by_last) {
    schedule->made_bytes = comm.size() * bytes;
    schedule->made_begin = (schedule->folded - 1) * count;
    schedule->wait_for_all();
  } else {
    schedule->peers = {0, schedule->folded};
    schedule->wait_for(schedule->peers, Stage::come);
  }
  // The result of member 0 of an exscan is undefined: its buffer stays as it is.
  const bool has_result = schedule->folded > 0;
  if (has_result) schedule->add({.action = Action::fold, .count = count});
  const Peers later{comm.rank() + 1, comm.size() - comm.rank() - 1};
  place_after_readers(*schedule, count, later, send == in_place && has_result);
  return launch(std::move(schedule));
}

}  // namespace

Request& ireduce(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
                 const Op& op, int root, Life life)
{
  const Role mine = role(comm, root);
  if (select::in_lines(comm) && operands_travel_in_cell(count, type))
    return reduction_in_lines(comm, Collective::reduce, root, life, send, recv, count, 0, count, type, op,
                              mine.is_root ? Peers{0, comm.size()} : Peers{0, 0});
  if (mine.is_root || mine.takes_part) check_valid_for(op, type);
  auto schedule = reduction(
      comm, Collective::reduce, compared_root(comm, root), life, send, recv, count, type, op,
      [&](Count bytes) { return mine.takes_part && select::travels_to_root(comm, bytes, Slot::capacity); });
  if (!mine.is_root) schedule->shown.result = nullptr;
  if (comm.is_inter() || schedule->shows_copy()) {
    // The root reduces alone.
    if (mine.is_root) {
      schedule->wait_for(schedule->peers, Stage::come);
      schedule->add({.action = Action::fold, .count = count});
    }
    schedule->reach(Stage::done);
    if (!mine.is_root && mine.takes_part && !schedule->shows_copy())
      schedule->wait_for(mine.root, Stage::done);
    return launch(std::move(schedule));
  }
  // Each of several members reduces its slice of all vectors and writes it to the root.
  const members::Slices slices =
      select::slices(comm.size(), comm.shared().own_cores, count, operand_bytes(count, type), op);
  if (const int own = slices.of(comm.rank()); own != slices.none) {
    const Slice part = slice(count, slices, own);
    schedule->wait_for(schedule->peers, Stage::come);
    schedule->add(
        {.action = Action::fold_to_root, .member = mine.root, .begin = part.begin, .count = part.count});
  }
  schedule->reach(Stage::done);
  // Only the owners of slices look at our buffers.
  for (int i = 0; i < slices.count; ++i)
    if (slices.owner(i) != comm.rank()) schedule->wait_for(slices.owner(i), Stage::done);
  return launch(std::move(schedule));
}

Request& iallreduce(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
                    const Op& op, Life life)
{
  if (select::in_lines(comm) && operands_travel_in_cell(count, type))
    return reduction_in_lines(comm, Collective::allreduce, 0, life, send, recv, count, 0, count, type, op,
                              {0, comm.size()});
  check_valid_for(op, type);
  auto schedule =
      reduction(comm, Collective::allreduce, 0, life, send, recv, count, type, op,
                [&](Count bytes) { return select::travels_to_all(comm, bytes, op, Slot::capacity); });
  if (comm.is_inter() || schedule->shows_copy() ||
      select::both_reduce(comm.size(), comm.shared().own_cores, count, operand_bytes(count, type), op)) {
    // Everybody reduces for itself, or the last one for all.
    if (schedule->shows_copy()) schedule->made_bytes = count * type.extent();
    schedule->wait_for_all();
    schedule->add({.action = Action::fold, .count = count});
    place_after_readers(*schedule, count, schedule->peers, send == in_place);
    return launch(std::move(schedule));
  }
  // Each of several members reduces its slice of all vectors into its own result; then all copy all slices.
  const int n = comm.size(), me = comm.rank();
  const members::Slices slices =
      select::slices(n, comm.shared().own_cores, count, operand_bytes(count, type), op);
  const int own = slices.of(me);
  // Who has no slice counts too where they meet, or the others would wait for ever.
  if (own != slices.none || schedule->may_meet()) schedule->wait_for_all();
  if (own != slices.none) {
    const Slice part = slice(count, slices, own);
    schedule->add({.action = Action::fold, .begin = part.begin, .count = part.count});
    schedule->reach(Stage::reduced);
  }
  // In place, each slice of our operands is read by its owner until it is reduced, so it may be overwritten
  // then.
  members::each_from(slices.near(me), slices.count, [&](int i) {
    if (i == own) return;
    const Slice part = slice(count, slices, i);
    schedule->add({.action = Action::take_slice,
                   .stage = Stage::reduced,
                   .member = slices.owner(i),
                   .begin = part.begin,
                   .count = part.count});
  });
  schedule->reach(Stage::done);
  // The others copy from us only if we own a slice.
  if (own != slices.none) schedule->wait_for(schedule->peers, Stage::done);
  return launch(std::move(schedule));
}

Request& ireduce_scatter_block(Communicator& comm, const void* send, void* recv, Count count,
                               const Datatype& type, const Op& op, Life life)
{
  // In an intercommunicator both groups' vectors have the same total (§6.10.1).
  return start_reduce_part(comm, send, recv, count * comm.size(), count * comm.rank(), count, type, op, life);
}

Request& ireduce_scatter(Communicator& comm, const void* send, void* recv, Array counts, const Datatype& type,
                         const Op& op, Life life)
{
  Count begin = 0, total = 0;
  for (int i = 0; i < comm.size(); ++i) {
    if (i == comm.rank()) begin = total;
    total += counts[i];
  }
  return start_reduce_part(comm, send, recv, total, begin, counts[comm.rank()], type, op, life);
}

Request& iscan(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
               const Op& op, Life life)
{
  return prefix(comm, Collective::scan, send, recv, count, type, op, life);
}

Request& iexscan(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
                 const Op& op, Life life)
{
  return prefix(comm, Collective::exscan, send, recv, count, type, op, life);
}

}  // namespace ranklet::coll
