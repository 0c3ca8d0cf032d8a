// MPI_Scan and MPI_Exscan: intracommunicators only (§6.11).
#include "coll/coll.hpp"
#include "coll/lend.hpp"
#include "coll/operands.hpp"

namespace ranklet::coll {

namespace {

// Member r takes the operands of those up to it out of the cells.
void scan_cells(Communicator& comm, Round& round, const void* send, void* recv, Count count,
                const Datatype& type, const Op& op, bool inclusive)
{
  post_operands(round, send, count, type);
  const int n = comm.rank() + (inclusive ? 1 : 0);
  // Earlier members wait for nobody, so their cells may be there before we come.
  for (int i = 0; i < comm.rank(); ++i) round.look_ahead(i);
  for (int i = 0; i < n; ++i) operands_in_cell(round, i, count, type);
  // The result of member 0 of an exscan is undefined: its buffer stays as it is.
  if (n > 0)
    fold(
        op, brackets(comm, op), type, n, [&](int i) { return operands_in_cell(round, i, count, type); }, 0,
        count, recv);
  round.finish();
}

// The same by copies of large operands: nobody waits for later members.
void scan_early(Communicator& comm, Round& round, const void* send, void* recv, Count count,
                const Datatype& type, const Op& op, bool inclusive)
{
  round.post(Operands{lend(round, send, count, type), nullptr, count, count * type.size()});
  const int n = comm.rank() + (inclusive ? 1 : 0);
  for (int i = 0; i < n; ++i) {
    const Count bytes = round.args<Operands>(i).bytes;
    if (bytes != count * type.size()) round.reject_amount(i, bytes, count * type.size());
  }
  if (n > 0)
    fold(
        op, brackets(comm, op), type, n, [&](int i) { return round.args<Operands>(i).send; }, 0, count, recv);
  round.finish();
}

// Each of several members does the whole scan of its slice, for everybody.
void scan_slices(Communicator& comm, Round& round, const void* send, void* recv, Count count,
                 const Datatype& type, const Op& op, bool inclusive)
{
  const int n = comm.size();
  const Count bytes = count * type.size();
  const Gathering all(round, {send, recv, count, bytes}, {0, n});
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
          apply3(op, sum, operand, next, block, type);
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
  Round round(comm, call, 0, compared_op(comm, op));
  if (operands_are_bytes(type) && select::travels_to_all(comm, count * type.extent(), op))
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
