#include "p2p/p2p.hpp"

#include <utility>

#include "p2p/starting.hpp"
#include "terms/call_note.hpp"

namespace ranklet::p2p {

namespace {

void create_engine(Rank& rank)
{
  rank.p2p = new Engine(rank);
}

void destroy_engine(Rank& rank) noexcept
{
  delete rank.p2p;
  rank.p2p = nullptr;
}

// Waits for a request on the stack, which may not go out of use while others know it.
template <class T>
void wait_on_stack(Rank& self, T& request)
{
  try {
    wait(self, request);
  } catch (...) {
    request.abandon();
    throw;
  }
}

// The long ways of the blocking calls: apart, so that the short ways need no room for a request.
[[gnu::noinline]] void send_and_wait(Communicator& comm, Mode mode, const void* buffer, Count count,
                                     const Datatype& type, int dest, int tag, bool offered)
{
  SendRequest request(comm.self());
  request.set(mode, buffer, count, type, dest, tag, comm);
  if (offered)
    request.start_offered();
  else
    request.start();
  if (!request.complete()) wait_on_stack(comm.self(), request);
  request.reap(nullptr);
}

[[gnu::noinline]] void post_and_wait(Communicator& comm, void* buffer, Count count, const Datatype& type,
                                     int source, int tag, Status* status)
{
  ReceiveRequest request(comm.self());
  request.set(buffer, count, type, source, tag, comm);
  request.start_awaited();
  if (!request.complete()) wait_on_stack(comm.self(), request);
  request.finish_call(status);
}

}  // namespace

Extension extension() noexcept
{
  return {create_engine, destroy_engine};
}

void send(Communicator& comm, Mode mode, const void* buffer, Count count, const Datatype& type, int dest,
          int tag)
{
  if (dest == proc_null) return;
  const Way way = way_of(comm, mode, count, type, dest);
  if (way == Way::short_one)
    start_short(comm, buffer, count, type, dest, tag);
  else
    send_and_wait(comm, mode, buffer, count, type, dest, tag, way == Way::offer);
}

void receive(Communicator& comm, void* buffer, Count count, const Datatype& type, int source, int tag,
             Status* status)
{
  Rank& self = comm.self();
  if (source != proc_null &&
      self.p2p->receive_next(buffer, count * type.size(), type, comm, source, tag, status))
    return;
  post_and_wait(comm, buffer, count, type, source, tag, status);
}

Request& isend_by(Way way, Communicator& comm, Mode mode, const void* buffer, Count count,
                  const Datatype& type, int dest, int tag)
{
  SendRequest& request = comm.self().p2p->new_send();
  request.set(mode, buffer, count, type, dest, tag, comm);
  try {
    if (way == Way::offer)
      request.start_offered();
    else
      request.start();
  } catch (...) {
    request.give_back();
    throw;
  }
  return request;
}

Request& isend(Communicator& comm, Mode mode, const void* buffer, Count count, const Datatype& type, int dest,
               int tag)
{
  return start_send(comm, mode, buffer, count, type, dest, tag);
}

Request& ireceive(Communicator& comm, void* buffer, Count count, const Datatype& type, int source, int tag)
{
  struct {
    void operator()(Request&, const Section&) noexcept {}
    void take_back() noexcept {}
  } nowhere;
  return comm.self().p2p->start_receive(buffer, count, type, source, tag, comm, nowhere);
}

Request& send_init(Communicator& comm, Mode mode, const void* buffer, Count count, const Datatype& type,
                   int dest, int tag)
{
  SendRequest& request = comm.self().p2p->new_send();
  request.set(mode, buffer, count, type, dest, tag, comm);
  request.make_persistent();
  return request;
}

Request& receive_init(Communicator& comm, void* buffer, Count count, const Datatype& type, int source,
                      int tag)
{
  ReceiveRequest& request = comm.self().p2p->new_receive();
  request.set(buffer, count, type, source, tag, comm);
  request.make_persistent();
  return request;
}

Request& copied_sends(Rank& self) noexcept
{
  return self.p2p->sent;
}

std::vector<WaitingMessage> waiting_messages(Rank& rank)
{
  return rank.p2p->waiting_messages();
}

bool is_full(const Rank& rank) noexcept
{
  return rank.p2p->is_full();
}

bool has_unreceived(Rank& self) noexcept
{
  return self.p2p->has_unreceived();
}

void send_parcel(Engine& dest, std::uint32_t context, int source, int tag, BufferAccount* account,
                 const void* buffer, Count count, const Datatype& type, const RecordedCall* sent_by)
{
  const Count bytes = count * type.size();
  Parcel* parcel = nullptr;
  try {
    parcel = Parcel::make(bytes, &dest);
    pack(buffer, count, type, 0, parcel->data, bytes);
    const Rank* const self = current_rank();
    if (self && self->p2p->is_held_up(Engine::much_for_parcel))
      memmodel::Native::pass_on(parcel->data, static_cast<std::size_t>(bytes));
  } catch (...) {
    if (account) account->refund(bytes);
    if (parcel) parcel->free();
    throw;
  }
  parcel->account = account;
  parcel->site = current_call_site();
  if (sent_by) parcel->sent_by = Ref<const RecordedCall>(*sent_by);
  const std::uint32_t cells = Envelope::cells_of_parcel(bytes);
  const auto fill = [&](Envelope& envelope) {
    envelope.context = context;
    envelope.tag = tag;
    envelope.source = source;
    envelope.carry = Carry::parcel;
    envelope.parcel_cells = static_cast<std::uint8_t>(cells);
    envelope.parcel = parcel;
  };
  dest.push_train(
      cells, fill, [](Envelope&, std::uint32_t) {}, false);
}

void let_go(Request& request, CommRef comm)
{
  // A program that frees the request of a send that is copied out mostly takes it for complete.
  if (auto* const send = request_cast<SendRequest>(request)) send->copy_out_now();
  request.owner().p2p->orphans.add(request, std::move(comm));
}

bool suspects_late_errors(const Rank& self) noexcept
{
  return self.p2p->orphans.suspicious();
}

std::vector<LateError> take_late_errors(Rank& self)
{
  return self.p2p->orphans.take_errors();
}

bool has_mail(const Rank& self) noexcept
{
  return self.p2p->has_mail();
}

void complete_orphans(Rank& self)
{
  wait_until(
      self, self.parking,
      [&] {
        self.p2p->help_if_needed();
        return !self.p2p->orphans.advance();
      },
      [&] { return self.p2p->has_mail() || self.p2p->orphans.ready_to_advance(); });
}

}  // namespace ranklet::p2p
