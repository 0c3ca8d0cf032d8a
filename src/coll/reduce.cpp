#include "coll/coll.hpp"
#include "coll/lend.hpp"
#include "coll/operands.hpp"

namespace ranklet::coll {

namespace {

// The root takes all operands out of the cells; the others go on at once. Nobody looks at its own, but for
// members with other amounts.
void reduce_cells(Communicator& comm, Round& round, const Role& mine, const void* send, void* recv,
                  Count count, const Datatype& type, const Op& op)
{
  if (!mine.is_root) {
    if (mine.takes_part) post_operands(round, send, count, type);
  } else {
    const Peers from = peers(comm);
    // First all cells, so that an error leaves the result alone.
    KnownOperands known(from.first);
    look_unseen(round, mine.takes_part, send, count, type, [&] {
      for (int member = from.first; member < from.first + from.count; ++member)
        if (member != round.me()) known.note(member, operands_in_cell(round, member, count, type));
    });
    if (!comm.is_inter()) round.all_have_come();
    // Its own are read where they are.
    const auto input = [&](int i) {
      const int member = from.first + i;
      return member == round.me() ? send : known.find(round, member, count, type);
    };
    fold(op, brackets(comm, op), type, from.count, input, 0, count, recv);
  }
  round.finish();
}

// Of two members the other one has posted a copy; this one is the root.
void reduce_copy(Communicator& comm, Round& round, int other, const void* send, void* recv, Count count,
                 const Datatype& type, const Op& op)
{
  const void* const given = operands_in_cell(round, other, count, type);
  round.all_have_come();
  const auto input = [&](int i) { return i == other ? given : send; };
  fold(op, brackets(comm, op), type, 2, input, 0, count, recv);
  round.finish();
}

// Each of several members reduces its slice of all vectors and writes it to the root, unless one of two gives
// new data. Who is not the root decides that.
void reduce_slices(Communicator& comm, Round& round, const Role& mine, const void* send, void* recv,
                   Count count, const Datatype& type, const Op& op)
{
  const Count bytes = operand_bytes(count, type);
  const bool may_be_new =
      operands_are_bytes(type) && op.is_predefined() && select::may_be_new(comm, count * type.extent());
  if (may_be_new && !mine.is_root && round.newness().is_expected() && round.can_copy_long()) {
    post_long_operands(round, send, count, type);
    return round.finish();
  }
  const bool asks = may_be_new && !mine.is_root && round.newness().is_asked();
  const Operands shown{send, mine.is_root ? recv : nullptr, count, bytes, asks};
  round.post(shown);
  const int other = 1 - comm.rank();
  if (may_be_new && mine.is_root && round.await(other).mode() == Mode::data)
    return reduce_copy(comm, round, other, send, recv, count, type, op);
  const Gathering all(Gathering::Posted(), round, shown, {0, comm.size()});
  round.all_have_come();
  const members::Slices slices = select::slices(comm.size(), comm.shared().own_cores, count, bytes, op);
  if (const int own = slices.of(comm.rank()); own != slices.none) {
    const Slice part = slice(count, slices, own);
    Found found = Found::nothing;
    if (may_be_new && all.asks(other))
      found = find_out(element(all.send(other), part.begin, type), part.count * type.extent());
    fold(
        op, brackets(comm, op), type, comm.size(), [&](int i) { return all.send(i); }, part.begin, part.count,
        all.recv(mine.root));
    round.reach(1);
    if (found != Found::nothing) round.say_found(found);
  }
  // Only the owners of slices look at our buffers.
  for (int i = 0; i < slices.count; ++i)
    if (slices.owner(i) != comm.rank()) round.await_phase(slices.owner(i), 1);
  round.finish();
  if (!asks) return;
  round.await_done(other);
  round.newness().note(round.found_by(other));
}

// Large vectors between two groups, or where the others leave early: the root reduces.
void reduce_at_root(Communicator& comm, Round& round, const Role& mine, const void* send, void* recv,
                    Count count, const Datatype& type, const Op& op)
{
  const bool early = leaves_early(comm);
  Operands operands{send, nullptr, count, operand_bytes(count, type)};
  if (mine.takes_part) {
    if (early && !mine.is_root) operands.send = lend(round, send, count, type);
    round.post(operands);
    if (!mine.is_root) {
      round.finish();
      return early ? void() : round.await_done(mine.root);
    }
  }
  if (mine.is_root) {
    const Peers from = peers(comm);
    for (int i = 0; i < from.count; ++i) {
      const Count bytes = round.args<Operands>(from.first + i).bytes;
      if (bytes != operands.bytes) round.reject_amount(from.first + i, bytes, operands.bytes);
    }
    fold(
        op, brackets(comm, op), type, from.count,
        [&](int i) { return round.args<Operands>(from.first + i).send; }, 0, count, recv);
  }
  round.finish();
}

}  // namespace

void reduce(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type, const Op& op,
            int root)
{
  const Role mine = role(comm, root);
  if (mine.is_root || mine.takes_part) check_valid_for(op, type);
  if (send == in_place) send = recv;
  Round round(comm, Collective::reduce, compared_root(comm, root), compared_op(comm, op));
  if (operands_are_bytes(type) && select::travels_to_root(comm, count * type.extent()))
    reduce_cells(comm, round, mine, send, recv, count, type, op);
  else if (comm.is_inter() || leaves_early(comm))
    reduce_at_root(comm, round, mine, send, recv, count, type, op);
  else
    reduce_slices(comm, round, mine, send, recv, count, type, op);
}

}  // namespace ranklet::coll
