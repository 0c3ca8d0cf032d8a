#include "coll/by_last.hpp"
#include "coll/coll.hpp"
#include "coll/part_transfer.hpp"
#include "coll/root.hpp"
#include "coll/select.hpp"

namespace ranklet::coll {

namespace {

// The last member to come lays all blocks side by side, for all: a look at each cell by one instead of all,
// and one copy for each member.
void allgather_counted(Communicator& comm, Round& round, const Part& send, const Blocks& recv)
{
  const int n = comm.size();
  // Whatever is wrong with its own call: the others count on it.
  if (select::travels(comm, send.bytes()))
    post_part(round, send);
  else
    round.post(send);
  const auto data = [&](int i) {
    const Cell& cell = round.await(i);
    if (cell.mode() != Mode::data) round.reject_kind(i, cell);
    const Copied given = cell.data();
    if (given.length != send.bytes()) round.reject_amount(i, given.length, send.bytes());
    return given.bytes;
  };
  const auto look = [&] {
    for (int i = 0; i < n; ++i) data(i);
  };
  const unsigned char* const all = round.made_by_last(
      n * send.bytes(), look, [&](unsigned char* out) { put_side_by_side(n, send.bytes(), data, out); });
  check_amount(round, round.me(), send.bytes(), recv[comm.rank()]);
  const Part received = recv.all(n);
  if (received.bytes() > 0)
    unpack(received.address, received.count, *received.type, 0, all, received.bytes());
  round.all_have_come();
  round.finish();
}

// Between two members.
void allgather_exchanged(Communicator& comm, Round& round, select::Mutual way, const Part& send,
                         const Blocks& recv, bool already_there)
{
  const int me = comm.rank(), other = 1 - me;
  exchange_parts(
      round, way, send, [&](Found found) { round.post(send, found); },
      [&] {
        if (!already_there) transfer(round, me, send, recv[me]);
      },
      [&] { return given_by(round, other); }, recv[other]);
}

}  // namespace

void allgather(Communicator& comm, Part send, const Blocks& recv)
{
  const bool by_last = select::lies_side_by_side(comm, recv);
  Round round(comm, Collective::allgather, by_last ? CallSignature::by_last : 0);
  const bool already_there = send.is_in_place();
  if (already_there) send = recv[comm.rank()];
  if (by_last) return allgather_counted(comm, round, send, recv);
  if (select::may_swap(comm)) {
    const auto way = select::mutual(comm, send.bytes(), recv[1 - comm.rank()].bytes());
    if (way != select::Mutual::by_reference)
      return allgather_exchanged(comm, round, way, send, recv, already_there);
  }
  const bool small = select::travels(comm, send.bytes());
  if (small)
    post_part(round, send);
  else
    round.post(send);
  if (select::all_meet(comm)) round.meet();

  const Peers from = peers(comm);
  for (int k = 0; k < from.count; ++k) {
    // Each begins at another place, so that not all copy from one member at once.
    const int i = (comm.rank() + k) % from.count;
    const int member = from.first + i;
    if (member == round.me() && already_there) continue;
    transfer(round, member, given_by(round, member), recv[i]);
  }
  if (!comm.is_inter()) round.all_have_come();
  round.finish();
  if (!small) round.await_all_done();
}

}  // namespace ranklet::coll
