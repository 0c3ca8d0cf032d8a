#include "coll/coll.hpp"
#include "coll/operands.hpp"

namespace ranklet::coll {

namespace {

// Where many share cores the last member to come reduces all of the vectors, for all.
void reduce_part_by_last(Communicator& comm, Round& round, const void* send, void* recv, Count total,
                         Count begin, Count count, const Datatype& type, const Op& op)
{
  const auto reduce = [&](const auto& operands, void* out) {
    fold(op, brackets(comm, op), type, comm.size(), operands, 0, total, out);
  };
  const void* const result = made_of_operands(comm, round, send, total, type, total * type.extent(), reduce);
  copy_elements(element(result, begin, type), recv, count, type);
  round.all_have_come();
  round.finish();
}

// Everybody takes the vectors out of the cells.
void reduce_part_of_cells(Communicator& comm, Round& round, const void* send, void* recv, Count total,
                          Count begin, Count count, const Datatype& type, const Op& op)
{
  const Peers from = peers(comm);
  // Our own, whose line the others have by then, are read where they are, unless the result goes there.
  const auto is_ours = [&](int member) { return member == round.me() && send != recv; };
  KnownOperands known(from.first);
  post_operands(round, send, total, type);
  for (int member = from.first; member < from.first + from.count; ++member)
    if (!is_ours(member)) known.note(member, operands_in_cell(round, member, total, type));
  const auto input = [&](int i) {
    const int member = from.first + i;
    return element(is_ours(member) ? send : known.find(round, member, total, type), begin, type);
  };
  if (!comm.is_inter()) round.all_have_come();
  fold(op, brackets(comm, op), type, from.count, input, 0, count, recv);
  round.finish();
}

// Everybody reduces its own part of all vectors. `total` elements; mine begins at `begin`.
void reduce_part(Communicator& comm, const void* send, void* recv, Count total, Count begin, Count count,
                 const Datatype& type, const Op& op)
{
  check_valid_for(op, type);
  const bool in_place_here = send == in_place;
  if (in_place_here) send = recv;
  const bool by_last = operands_are_bytes(type) && select::reduces_by_last(comm, total * type.extent());
  Round round(comm, Collective::reduce_scatter, by_last ? CallSignature::by_last : 0, compared_op(comm, op));
  if (by_last) return reduce_part_by_last(comm, round, send, recv, total, begin, count, type, op);
  if (operands_are_bytes(type) && select::travels(comm, total * type.extent()))
    return reduce_part_of_cells(comm, round, send, recv, total, begin, count, type, op);
  const Peers from = peers(comm);
  const Gathering all(round, {send, nullptr, total, operand_bytes(total, type)}, from,
                      select::all_meet(comm));
  if (!comm.is_inter()) round.all_have_come();
  const auto input = [&](int i) { return element(all.send(i), begin, type); };
  if (!in_place_here) {
    fold(op, brackets(comm, op), type, from.count, input, 0, count, recv);
    round.finish();
    round.await_all_done();
    return;
  }
  // The result goes to the front of our vector, which others read until they are done.
  const Scratch result(count, type);
  fold(op, brackets(comm, op), type, from.count, input, 0, count, result.address());
  round.finish();
  round.await_all_done();
  copy_elements(result.address(), recv, count, type);
}

}  // namespace

void reduce_scatter_block(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
                          const Op& op)
{
  // In an intercommunicator each group's vectors are divided among the members of the other, and count is
  // that of the local group (§6.10.1): both sides have the same total.
  reduce_part(comm, send, recv, count * comm.size(), count * comm.rank(), count, type, op);
}

void reduce_scatter(Communicator& comm, const void* send, void* recv, Array counts, const Datatype& type,
                    const Op& op)
{
  Count begin = 0, total = 0;
  for (int i = 0; i < comm.size(); ++i) {
    if (i == comm.rank()) begin = total;
    total += counts[i];
  }
  reduce_part(comm, send, recv, total, begin, counts[comm.rank()], type, op);
}

}  // namespace ranklet::coll
