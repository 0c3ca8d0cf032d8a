// MPI_Scan and MPI_Exscan: intracommunicators only (§6.11).
#include "coll/by_last.hpp"
#include "coll/coll.hpp"
#include "coll/lend.hpp"
#include "coll/operands.hpp"
#include "terms/error.hpp"

namespace ranklet::coll {

namespace {

// Whether a member may go on from the result of an earlier one. A user's function would need copies for it.
bool goes_on(const Op& op)
{
  return op.is_predefined();
}

// to = input(first) op ... op input(end - 1), where the first one may be the result of its member.
template <class Input>
void fold_from(int first, int end, Input&& input, Count count, const Datatype& type, const Op& op, void* to)
{
  if (first + 1 == end) {
    copy_elements(input(first), to, count, type);
    return;
  }
  if (first == 0) {
    fold(op, Brackets::from_left, type, end, input, 0, count, to);
    return;
  }
  // The sum is on the right as in fold(), whatever the operator makes of a NaN.
  copy_elements(input(first), to, count, type);
  for (int i = first + 1; i < end; ++i) apply(op, input(i), to, count, type);
}

// The part of a member that finds all it needs: it shows its own result, so that later members need not look
// any further back. False, with nothing done: somebody has not come yet, or calls something else, which is to
// be said after this member has shown what it has, too.
bool scan_on(Communicator& comm, Round& round, const void* send, void* recv, Count count,
             const Datatype& type, const Op& op, bool inclusive)
{
  const int me = comm.rank();
  int first = me;
  while (first > 0) {
    const Cell* const cell = round.find(--first);
    if (!cell || !holds_operands(*cell, count, type)) return false;
    if (cell->mode() == Mode::prefix) break;
  }
  if (me > 0) round.look_ahead(me - 1);
  const auto operands = [&](int i) { return i == me ? send : operands_in_cell(round, i, count, type); };
  const void* result = nullptr;
  post_operands(
      round, count, type,
      [&](void* out) {
        fold_from(first, me + 1, operands, count, type, op, out);
        result = out;
      },
      Mode::prefix);
  if (inclusive)
    copy_elements(result, recv, count, type);
  else if (me > 0)
    fold_from(first, me, operands, count, type, op, recv);
  return true;
}

// Where many share cores, and each would wait for many before it: the last member to come makes all results.
void scan_by_last(Communicator& comm, Round& round, const void* send, void* recv, Count count,
                  const Datatype& type, const Op& op, bool inclusive)
{
  const auto scan = [&](const auto& operands, unsigned char* out) {
    scan_all(op, type, comm.size(), operands, count, out);
  };
  const void* const all =
      made_of_operands(comm, round, send, count, type, comm.size() * count * type.extent(), scan);
  const int which = comm.rank() - (inclusive ? 0 : 1);
  // The result of member 0 of an exscan is undefined: its buffer stays as it is.
  if (which >= 0) copy_elements(element(all, which * count, type), recv, count, type);
  round.all_have_come();
  round.finish();
}

// Member r takes the operands of those up to it out of the cells; or, of what has come when it comes, the
// last result. Where members have cores of their own they mostly come together, and who looks before it
// posts lets the others wait.
void scan_cells(Communicator& comm, Round& round, const void* send, void* recv, Count count,
                const Datatype& type, const Op& op, bool inclusive)
{
  const int me = comm.rank();
  const bool own_cores = comm.shared().own_cores;
  // The result of member 0 of an exscan is undefined: its buffer stays as it is.
  const int end = me + (inclusive ? 1 : 0);
  const bool on = goes_on(op) && !own_cores && count > 0;
  if (!on || !scan_on(comm, round, send, recv, count, type, op, inclusive)) {
    // Nobody comes after the last one, but for members with other amounts. In place its operands are kept in
    // its cell.
    const bool posts = me < comm.size() - 1 || send == recv;
    if (posts) post_operands(round, send, count, type);
    // Earlier members wait for nobody, so their cells may be there before we come.
    for (int i = on ? std::max(me - 1, 0) : 0; i < me; ++i) round.look_ahead(i);
    KnownOperands known;
    // In place the result would overwrite our own before they are read.
    const auto is_ours = [&](int i) { return i == me && (!posts || send != recv); };
    const auto operands = [&](int i) { return is_ours(i) ? send : known.find(round, i, count, type); };
    int first = end;
    look_unseen(round, !posts, send, count, type, [&] {
      while (first > 0) {
        if (is_ours(--first)) continue;
        const Cell& cell = round.await(first);
        known.note(first, operands_of(round, first, cell, count, type));
        if (first != me && cell.mode() == Mode::prefix) break;
      }
    });
    if (end > 0) fold_from(first, end, operands, count, type, op, recv);
  }
  round.finish();
}

// The same by copies of large operands: nobody waits for later members.
void scan_early(Communicator& comm, Round& round, const void* send, void* recv, Count count,
                const Datatype& type, const Op& op, bool inclusive)
{
  round.post(Operands{lend(round, send, count, type), nullptr, count, operand_bytes(count, type)});
  const int n = comm.rank() + (inclusive ? 1 : 0);
  for (int i = 0; i < n; ++i) {
    const Count bytes = round.args<Operands>(i).bytes;
    if (bytes != operand_bytes(count, type)) round.reject_amount(i, bytes, operand_bytes(count, type));
  }
  if (n > 0)
    fold(
        op, Brackets::from_left, type, n, [&](int i) { return round.args<Operands>(i).send; }, 0, count,
        recv);
  round.finish();
}

// Each of several members does the whole scan of its slice, for everybody.
void scan_slices(Communicator& comm, Round& round, const void* send, void* recv, Count count,
                 const Datatype& type, const Op& op, bool inclusive)
{
  const int n = comm.size();
  const Count bytes = operand_bytes(count, type);
  const Gathering all(round, {send, recv, count, bytes}, {0, n}, select::all_meet(comm));
  round.all_have_come();
  const members::Slices slices = select::slices(n, comm.shared().own_cores, count, bytes, op);
  if (const int own = slices.of(comm.rank()); own != slices.none) {
    const Slice part = slice(count, slices, own);
    const Count step = block_elements(op, part.count, type);
    const Scratch sums[2] = {Scratch(step, type), Scratch(step, type)};
    for (Count begin = part.begin; begin < part.begin + part.count; begin += step) {
      const Count block = std::min(step, part.begin + part.count - begin);
      // Of members 0..i; kept apart from the results, which may lie in the operands' place.
      char* sum = sums[0].address();
      char* next = sums[1].address();
      for (int i = 0; i < n; ++i) {
        const char* operand = element(all.send(i), begin, type);
        if (i == 0)
          copy_elements(operand, next, block, type);
        else
          combine(op, sum, operand, next, block, type);
        if (inclusive)
          copy_elements(next, element(all.recv(i), begin, type), block, type);
        else if (i > 0)
          copy_elements(sum, element(all.recv(i), begin, type), block, type);
        std::swap(sum, next);
      }
    }
    round.reach(1);
  }
  // Only the owners of slices touch our buffers.
  for (int i = 0; i < slices.count; ++i)
    if (slices.owner(i) != comm.rank()) round.await_phase(slices.owner(i), 1);
  round.finish();
}

void scan(Communicator& comm, Collective call, const void* send, void* recv, Count count,
          const Datatype& type, const Op& op, bool inclusive)
{
  if (comm.is_inter()) fail(ErrorClass::comm, "the communicator is an intercommunicator");
  check_valid_for(op, type);
  if (send == in_place) send = recv;
  const Count bytes = count * type.extent();
  const bool by_last = operands_are_bytes(type) && select::scans_by_last(comm, bytes);
  const bool in_cells = operands_are_bytes(type) && select::travels_to_all(comm, bytes, op);
  const bool meets = by_last || (!in_cells && !leaves_early(comm) && select::all_meet(comm));
  Round round(comm, call, meets ? CallSignature::by_last : 0, compared_op(comm, op));
  if (by_last)
    scan_by_last(comm, round, send, recv, count, type, op, inclusive);
  else if (in_cells)
    scan_cells(comm, round, send, recv, count, type, op, inclusive);
  else if (leaves_early(comm))
    scan_early(comm, round, send, recv, count, type, op, inclusive);
  else
    scan_slices(comm, round, send, recv, count, type, op, inclusive);
}

}  // namespace

void scan(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type, const Op& op)
{
  scan(comm, Collective::scan, send, recv, count, type, op, true);
}

void exscan(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type, const Op& op)
{
  scan(comm, Collective::exscan, send, recv, count, type, op, false);
}

}  // namespace ranklet::coll
