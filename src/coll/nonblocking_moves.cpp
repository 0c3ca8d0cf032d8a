// Schedules of the collectives that move data.
#include "coll/by_last.hpp"
#include "coll/lines.hpp"
#include "coll/nonblocking.hpp"
#include "coll/schedule.hpp"
#include "coll/select.hpp"

namespace ranklet::coll {

namespace {

using Takes = Exchanged::Takes;

Peers all_of(const Communicator& comm)
{
  return {0, comm.size()};
}

Request& bcast_in_lines(Communicator& comm, const Part& data, int root, Life life)
{
  Exchanged what = exchanged(Collective::bcast, life, root);
  what.given = what.part = data;
  what.gives = comm.rank() == root;
  if (!what.gives) {
    what.awaited = {root, 1};
    what.takes = Takes::parts;
    what.is_single = true;
  }
  return exchange(comm, what, life);
}

// is_there: the root's part, in its place.
Request& gather_in_lines(Communicator& comm, const Part& send, const Blocks& recv, int root, bool is_there,
                         Life life)
{
  Exchanged what = exchanged(Collective::gather, life, root);
  what.given = send;
  what.gives = true;
  what.is_there = is_there;
  if (comm.rank() == root) {
    what.awaited = all_of(comm);
    what.takes = Takes::parts;
    what.blocks = recv;
  }
  return exchange(comm, what, life);
}

Request& scatter_in_lines(Communicator& comm, const Blocks& send, const Part& recv, int root, Life life)
{
  Exchanged what = exchanged(Collective::scatter, life, root);
  what.gives = comm.rank() == root;
  if (what.gives) what.given = send.all(comm.size());
  if (!recv.is_in_place()) {
    what.awaited = {root, 1};
    what.takes = Takes::shares;
    what.is_single = true;
    what.part = recv;
  }
  return exchange(comm, what, life);
}

Request& allgather_in_lines(Communicator& comm, const Part& send, const Blocks& recv, bool is_there,
                            Life life)
{
  Exchanged what = exchanged(Collective::allgather, life);
  what.awaited = all_of(comm);
  what.given = send;
  what.gives = true;
  what.is_there = is_there;
  what.takes = Takes::parts;
  what.blocks = recv;
  return exchange(comm, what, life);
}

Request& alltoall_in_lines(Communicator& comm, const Blocks& send, const Blocks& recv, Life life)
{
  Exchanged what = exchanged(Collective::alltoall, life);
  what.awaited = all_of(comm);
  what.given = send.all(comm.size());
  what.gives = true;
  what.takes = Takes::shares;
  what.blocks = recv;
  return exchange(comm, what, life);
}

}  // namespace

Request& ibarrier(Communicator& comm, Life life)
{
  if (select::in_lines(comm)) {
    Exchanged what = exchanged(Collective::barrier, life);
    what.awaited = all_of(comm);
    what.given = {nullptr, 0, &predefined(Basic::byte)};
    what.gives = true;
    return exchange(comm, what, life);
  }
  auto schedule = new_schedule(comm, Collective::barrier, 0, life);
  schedule->peers = {0, comm.shared().members()};
  schedule->wait_for_all();
  return launch(std::move(schedule));
}

Request& ibcast(Communicator& comm, Part data, int root, Life life)
{
  const Role mine = role(comm, root);
  if (select::moves_in_lines(comm, data.bytes())) return bcast_in_lines(comm, data, root, life);
  auto schedule = new_schedule(comm, Collective::bcast, compared_root(comm, root), life);
  if (mine.is_root) {
    schedule->shown.part = data;
    if (select::travels(comm, data.bytes(), Slot::capacity)) schedule->show_copy(data.bytes());
    schedule->reach(Stage::done);
    if (!schedule->shows_copy()) schedule->wait_for(peers(comm), Stage::done);
  } else {
    if (mine.takes_part) {
      schedule->receive = data;
      schedule->add({.action = Action::take_part, .member = mine.root});
    }
    schedule->reach(Stage::done);
  }
  return launch(std::move(schedule));
}

Request& igather(Communicator& comm, Part send, const Blocks& recv, Sizes sizes, int root, Life life)
{
  const Role mine = role(comm, root);
  const bool is_there = send.is_in_place();
  if (const Part given = is_there ? recv[comm.rank()] : send;
      sizes == Sizes::equal && !comm.is_inter() && select::moves_in_lines(comm, given.bytes()))
    return gather_in_lines(comm, given, recv, root, is_there, life);
  auto schedule = new_schedule(comm, Collective::gather, compared_root(comm, root), life);
  if (mine.takes_part && !send.is_in_place()) schedule->shown.part = send;
  if (mine.is_root) {
    const Peers from = peers(comm);
    schedule->take_blocks(recv, from.count);
    for (int i = 0; i < from.count; ++i)
      if (from.first + i != schedule->me() || !send.is_in_place())
        schedule->add({.action = Action::take_part, .member = from.first + i, .block = i});
    schedule->reach(Stage::done);
  } else {
    schedule->reach(Stage::done);
    if (mine.takes_part && select::travels_to_root(comm, send.bytes(), Slot::capacity))
      schedule->show_copy(send.bytes());
    if (mine.takes_part && !schedule->shows_copy()) schedule->wait_for(mine.root, Stage::done);
  }
  return launch(std::move(schedule));
}

Request& iscatter(Communicator& comm, const Blocks& send, Part recv, Sizes sizes, int root, Life life)
{
  const Role mine = role(comm, root);
  if (sizes == Sizes::equal && !comm.is_inter()) {
    const Count bytes = mine.is_root ? send[0].bytes() : recv.bytes();
    if (select::moves_in_lines(comm, comm.size() * bytes))
      return scatter_in_lines(comm, send, recv, root, life);
  }
  auto schedule = new_schedule(comm, Collective::scatter, compared_root(comm, root), life);
  if (mine.is_root) {
    const int n = peers(comm).count;
    schedule->show_blocks(send, n);
    const Count bytes = copied_bytes(schedule->shown.blocks, n, CollState::longest_copy);
    if (select::travels(comm, bytes, Slot::capacity)) schedule->show_copy(bytes, n);
  }
  if (mine.takes_part && !recv.is_in_place()) {
    schedule->receive = recv;
    schedule->add({.action = Action::take_block, .member = mine.root, .theirs = comm.rank()});
  }
  schedule->reach(Stage::done);
  if (mine.is_root && !schedule->shows_copy()) schedule->wait_for(peers(comm), Stage::done);
  return launch(std::move(schedule));
}

Request& iallgather(Communicator& comm, Part send, const Blocks& recv, Life life)
{
  if (select::moves_in_lines(comm, recv)) {
    const bool is_there = send.is_in_place();
    const Part given = is_there ? recv[comm.rank()] : send;
    // A member that gives more than it takes is wrong, but has no room for it.
    if (select::travels_in_cell(given.bytes())) return allgather_in_lines(comm, given, recv, is_there, life);
  }
  const bool by_last = select::lies_side_by_side(comm, recv);
  auto schedule = new_schedule(comm, Collective::allgather, by_last ? CallSignature::by_last : 0, life);
  const bool already_there = send.is_in_place();
  if (already_there) send = recv[comm.rank()];
  schedule->shown.part = send;
  if (select::travels(comm, send.bytes(), Slot::capacity)) schedule->show_copy(send.bytes());
  const Peers from = peers(comm);
  schedule->take_blocks(recv, from.count);
  schedule->peers = from;
  if (by_last) {
    schedule->call.bytes = send.bytes();
    schedule->made_bytes = from.count * send.bytes();
    schedule->wait_for_all();
    schedule->add({.action = Action::take_all});
    schedule->reach(Stage::done);
    return launch(std::move(schedule));
  }
  schedule->meet_if_many();
  for (int k = 0; k < from.count; ++k) {
    // Each begins at another place, so that not all copy from one member at once.
    const int i = (comm.rank() + k) % from.count;
    if (from.first + i == schedule->me() && already_there) continue;
    schedule->add({.action = Action::take_part, .member = from.first + i, .block = i});
  }
  schedule->reach(Stage::done);
  if (!schedule->shows_copy()) schedule->wait_for(peers(comm), Stage::done);
  return launch(std::move(schedule));
}

Request& ialltoall(Communicator& comm, const Blocks& send, const Blocks& recv, Life life)
{
  const bool exchanged = send.is_in_place();
  if (!exchanged && send.are_equal() && recv.are_equal() &&
      select::moves_in_lines(comm, comm.size() * send[0].bytes()))
    return alltoall_in_lines(comm, send, recv, life);
  const bool listed = !exchanged && select::lists_blocks(comm, send);
  auto schedule = new_schedule(comm, Collective::alltoall, listed ? CallSignature::by_last : 0, life);
  const Peers from = peers(comm);
  schedule->peers = from;
  schedule->take_blocks(recv, from.count);
  if (exchanged) {
    schedule->shown.blocks = schedule->blocks;
  } else {
    schedule->show_blocks(send, from.count);
    const Count bytes = copied_bytes(schedule->shown.blocks, from.count, CollState::longest_copy);
    if (select::travels(comm, bytes, Slot::capacity)) schedule->show_copy(bytes, from.count);
  }
  const int me = comm.rank();
  if (listed) {
    schedule->call.bytes = from.count * send[0].bytes();
    schedule->made_bytes = bytes_of_addresses(from.count);
    schedule->show_copy(schedule->call.bytes, from.count);
    schedule->wait_for_all();
    schedule->add({.action = Action::take_all, .theirs = me});
    schedule->reach(Stage::done);
    return launch(std::move(schedule));
  }
  schedule->meet_if_many();
  for (int k = exchanged ? 1 : 0; k < from.count; ++k) {
    const int i = (me + k) % from.count;
    // Of each pair of members one exchanges the two blocks; the parity spreads the work evenly.
    if (exchanged && ((me + i) % 2 == 0) != (me < i)) continue;
    schedule->add({.action = exchanged ? Action::exchange : Action::take_block,
                   .member = from.first + i,
                   .block = i,
                   .theirs = me});
  }
  schedule->reach(Stage::done);
  if (!schedule->shows_copy()) schedule->wait_for(peers(comm), Stage::done);
  return launch(std::move(schedule));
}

}  // namespace ranklet::coll
