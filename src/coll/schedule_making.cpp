// How schedules are taken from the member's stock, begin, and go back.
#include "coll/schedule.hpp"
#include "terms/call_note.hpp"

namespace ranklet::coll {

ScheduleHolder new_schedule(Communicator& comm, Collective call, int root, Life life, const Op* compared)
{
  CollState& members = state(comm);
  const int me = comm.board_rank();
  auto& stock = members.nonblocking(me).schedules;
  if (!stock) [[unlikely]]
    stock = std::make_unique<p2p::Stock<Schedule>>(comm.self());
  Schedule& made = stock->take();
  made.comm_ = CommRef(comm);
  made.me_ = me;
  made.call.signature =
      CallSignature(call, life == Life::once ? Form::nonblocking : Form::persistent, root, compared);
  made.shown.site = current_call_site();
  made.call.rounds = members.rounds_of(me);
  made.persistent_ = life == Life::persistent;
  made.context_ = comm.context();
  return ScheduleHolder(&made);
}

void GiveBack::operator()(Schedule* schedule) const noexcept
{
  schedule->give_back();
}

void Schedule::give_back() noexcept
{
  // The communicator, and our stock with it, may end with our reference.
  const CommRef comm = forget();
  state(*comm).nonblocking(me_).schedules->give(*this);
}

CommRef Schedule::forget() noexcept
{
  // On the list if its job was stopped.
  if (is_owners_alone()) owner().progress.remove(*this);
  state(*comm_).operations.end(series_, me_);
  starts_ = 0;
  call = {};
  shown = {};
  receive = {};
  blocks = {};
  copied_ = not_copied;
  copied_blocks_ = no_blocks;
  peers = {};
  folded = everybody;
  fold_begin = made_bytes = made_begin = count = 0;
  result = nullptr;
  type = nullptr;
  op = {};
  scratch.reset();
  // Lists stay, if they are short, for the next collective.
  const auto empty = [](auto& list) {
    constexpr std::size_t few = 32;
    list.clear();
    if (list.capacity() > few) list.shrink_to_fit();
  };
  empty(steps_);
  empty(kept_);
  for (BlockArrays* arrays : {&send_arrays_, &receive_arrays_}) {
    empty(arrays->counts_and_displacements);
    empty(arrays->types);
  }
  return std::move(comm_);
}

void Schedule::keep_types()
{
  const auto keep = [&](const Datatype* used) {
    // Predefined ones live as long as the program.
    if (used && !used->is_predefined()) kept_.emplace_back(*used);
  };
  for (const Datatype* used :
       {shown.part.type, receive.type, shown.blocks.common_type(), blocks.common_type(), type})
    keep(used);
  for (const BlockArrays* arrays : {&send_arrays_, &receive_arrays_})
    for (const Datatype* used : arrays->types) keep(used);
}

Request& launch(ScheduleHolder schedule)
{
  schedule->keep_types();
  CollState& members = state(*schedule->comm_);
  if (schedule->persistent_)
    schedule->number_ = members.next_operation(schedule->me_, schedule->call.signature);
  else
    schedule->start();
  return *schedule.release();
}

void Schedule::release()
{
  if (!active_) give_back();
}

void Schedule::discard() noexcept
{
  // The stock has it, and may end with our reference.
  const CommRef comm = forget();
}

}  // namespace ranklet::coll
