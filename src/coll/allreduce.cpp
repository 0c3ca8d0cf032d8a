#include "coll/allreduce_by_groups.hpp"
#include "coll/coll.hpp"
#include "coll/operands.hpp"
#include "coll/part_transfer.hpp"

namespace ranklet::coll {

namespace {

// Everybody looks at all cells and reduces for itself, in the same order: one hop, and nobody waits for
// readers. Its own operands it reads where they are: the others have taken its cell's line by then.
void allreduce_flat(Communicator& comm, Round& round, const void* send, void* recv, Count count,
                    const Datatype& type, const Op& op)
{
  if (const Count bytes = count * type.extent(); select::swaps(comm, bytes))
    post_swapped(round, {send, bytes, &predefined(Basic::byte)});
  else
    post_operands(round, send, count, type);
  const Peers from = peers(comm);
  // First all cells, so that an error leaves the result alone.
  KnownOperands known(from.first);
  members::each_from(comm.rank(), from.count, [&](int i) {
    if (const int member = from.first + i; member != round.me())
      known.note(member, operands_in_cell(round, member, count, type));
  });
  if (!comm.is_inter()) round.all_have_come();
  const auto input = [&](int i) {
    const int member = from.first + i;
    return member == round.me() ? send : known.find(round, member, count, type);
  };
  fold(op, brackets(comm, op), type, from.count, input, 0, count, recv);
  round.finish();
}

// The last member to come reduces what is in the cells, for all: nobody runs twice.
void allreduce_counted(Communicator& comm, Round& round, const void* send, void* recv, Count count,
                       const Datatype& type, const Op& op)
{
  const auto reduce = [&](const auto& operands, void* out) {
    fold(op, brackets(comm, op), type, comm.size(), operands, 0, count, out);
  };
  const void* const result = made_of_operands(comm, round, send, count, type, count * type.extent(), reduce);
  copy_elements(result, recv, count, type);
  round.all_have_come();
  round.finish();
}

// Each of several members reduces its slice of all vectors into its own result; then all copy all slices. Or
// both of two members reduce for themselves, unless one is in place, which both see.
void allreduce_slices(Communicator& comm, Round& round, const void* send, void* recv, Count count,
                      const Datatype& type, const Op& op)
{
  const int n = comm.size(), me = comm.rank();
  const Count bytes = operand_bytes(count, type);
  const Gathering all(round, {send, recv, count, bytes}, {0, n}, select::all_meet(comm));
  round.all_have_come();
  const auto reduce = [&](const Slice& part) {
    fold(
        op, brackets(comm, op), type, n, [&](int i) { return all.send(i); }, part.begin, part.count, recv);
  };
  const auto is_in_place = [&](int i) { return all.send(i) == all.recv(i); };
  if (select::both_reduce(n, comm.shared().own_cores, count, bytes, op) && !is_in_place(0) &&
      !is_in_place(1)) {
    reduce({0, count});
    round.finish();
    return round.await_all_done();
  }
  const members::Slices slices = select::slices(n, comm.shared().own_cores, count, bytes, op);
  const int mine = slices.of(me);
  if (mine != slices.none) {
    reduce(slice(count, slices, mine));
    round.reach(1);
  }
  // In place, each slice of our operands is read by its owner until phase 1, so it may be overwritten then.
  members::each_from(slices.near(me), slices.count, [&](int i) {
    if (i == mine) return;
    const int owner = slices.owner(i);
    round.await_phase(owner, 1);
    const Slice part = slice(count, slices, i);
    copy_elements(element(all.recv(owner), part.begin, type), element(recv, part.begin, type), part.count,
                  type);
  });
  round.finish();
  // The others copy from us only if we own a slice.
  if (mine != slices.none) round.await_all_done();
}

// Between two groups: each member reduces the other group's vectors for itself.
void allreduce_remote(Communicator& comm, Round& round, const void* send, void* recv, Count count,
                      const Datatype& type, const Op& op)
{
  const Peers from = peers(comm);
  const Gathering all(round, {send, recv, count, operand_bytes(count, type)}, from);
  fold(
      op, brackets(comm, op), type, from.count, [&](int i) { return all.send(i); }, 0, count, recv);
  round.finish();
  round.await_all_done();
}

}  // namespace

void allreduce(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
               const Op& op)
{
  check_valid_for(op, type);
  if (send == in_place) send = recv;
  const bool by_last = select::all_meet(comm) && operands_travel_in_cell(count, type);
  Round round(comm, Collective::allreduce, by_last ? CallSignature::by_last : 0, compared_op(comm, op));
  if (select::each_reduces(comm) && operands_are_bytes(type) &&
      (select::travels_to_all(comm, count * type.extent(), op) ||
       select::swaps(comm, count * type.extent()))) {
    allreduce_flat(comm, round, send, recv, count, type, op);
  } else if (by_last) {
    allreduce_counted(comm, round, send, recv, count, type, op);
  } else if (comm.is_inter()) {
    allreduce_remote(comm, round, send, recv, count, type, op);
  } else if (select::reduces_by_groups(comm, op)) {
    allreduce_by_groups(comm, round, {send, recv, count, operand_bytes(count, type)}, type, op);
  } else {
    allreduce_slices(comm, round, send, recv, count, type, op);
  }
}

}  // namespace ranklet::coll
