#include "p2p/p2p.hpp"

#include <memory>
#include <utility>

#include "base/memory.hpp"
#include "p2p/eager.hpp"
#include "p2p/engine.hpp"

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

// Ends a receive of a blocking call.
void finish_receive(ReceiveRequest& request, Status* status)
{
  // In calls that return one status its error field is left alone (§3.2.5).
  Status result;
  const ErrorClass error = request.reap(&result);
  if (status) {
    result.error = status->error;
    *status = result;
  }
  if (error != ErrorClass::success) [[unlikely]]
    throw Error(error, request.error_message());
}

Status proc_null_status() noexcept
{
  Status status;
  status.source = proc_null;
  return status;
}

void assign(Status* status, Status result) noexcept
{
  if (!status) return;
  result.error = status->error;
  *status = result;
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
  Rank& self = comm.self();
  if (eager(self.job, mode, count * type.size())) {
    send_eagerly(*comm.peer(dest).p2p, self, comm.context(), comm.rank(), tag, mode, buffer, count, type);
    return;
  }
  SendRequest request(self);
  request.set(mode, buffer, count, type, dest, tag, comm);
  request.start();
  wait_on_stack(self, request);
}

void receive(Communicator& comm, void* buffer, Count count, const Datatype& type, int source, int tag,
             Status* status)
{
  Rank& self = comm.self();
  if (source != proc_null &&
      self.p2p->receive_next(buffer, count * type.size(), type, comm.context(), source, tag, status))
    return;
  ReceiveRequest request(self);
  request.set(buffer, count, type, source, tag, comm);
  request.start();
  if (!request.complete()) wait_on_stack(self, request);
  finish_receive(request, status);
}

Request& isend(Communicator& comm, Mode mode, const void* buffer, Count count, const Datatype& type, int dest,
               int tag)
{
  SendRequest& request = comm.self().p2p->new_send();
  request.set(mode, buffer, count, type, dest, tag, comm);
  try {
    request.start();
  } catch (...) {
    request.give_back();
    throw;
  }
  return request;
}

Request& ireceive(Communicator& comm, void* buffer, Count count, const Datatype& type, int source, int tag)
{
  ReceiveRequest& request = comm.self().p2p->new_receive();
  request.set(buffer, count, type, source, tag, comm);
  request.start();
  return request;
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

void send_receive(Communicator& comm, const void* send_buffer, Count send_count, const Datatype& send_type,
                  int dest, int send_tag, void* receive_buffer, Count receive_count,
                  const Datatype& receive_type, int source, int receive_tag, Status* status)
{
  Rank& self = comm.self();
  ReceiveRequest incoming(self);
  incoming.set(receive_buffer, receive_count, receive_type, source, receive_tag, comm);
  incoming.start();
  try {
    send(comm, Mode::standard, send_buffer, send_count, send_type, dest, send_tag);
    wait(self, incoming);
  } catch (...) {
    incoming.abandon();
    throw;
  }
  finish_receive(incoming, status);
}

void send_receive_replace(Communicator& comm, void* buffer, Count count, const Datatype& type, int dest,
                          int send_tag, int source, int receive_tag, Status* status)
{
  const Count bytes = count * type.size();
  const auto release = [](void* memory) { free_shared(memory); };
  const std::unique_ptr<void, decltype(release)> packed(
      allocate_shared(static_cast<std::size_t>(bytes > 0 ? bytes : 1)), release);
  if (!packed)
    fail(ErrorClass::no_mem, "no memory for a copy of the %lld bytes to send", static_cast<long long>(bytes));
  pack(buffer, count, type, 0, packed.get(), bytes);
  send_receive(comm, packed.get(), bytes, predefined(Basic::byte), dest, send_tag, buffer, count, type,
               source, receive_tag, status);
}

std::optional<Status> iprobe(Communicator& comm, int source, int tag)
{
  if (source == proc_null) return proc_null_status();
  return comm.self().p2p->probe(comm.context(), source, tag);
}

Status probe(Communicator& comm, int source, int tag)
{
  Rank& self = comm.self();
  std::optional<Status> status;
  wait_until(
      self, self.parking, [&] { return (status = iprobe(comm, source, tag)).has_value(); },
      [&] { return self.p2p->has_mail(); });
  return *status;
}

std::optional<Message> improbe(Communicator& comm, int source, int tag, Status* status)
{
  Rank& self = comm.self();
  Message message{nullptr, &self, comm.context()};
  if (source == proc_null) {
    assign(status, proc_null_status());
    return message;
  }
  message.unexpected = self.p2p->take(comm.context(), source, tag);
  if (!message.unexpected) return std::nullopt;
  assign(status, status_of(message.unexpected->envelope));
  return message;
}

Message mprobe(Communicator& comm, int source, int tag, Status* status)
{
  Rank& self = comm.self();
  std::optional<Message> message;
  wait_until(
      self, self.parking, [&] { return (message = improbe(comm, source, tag, status)).has_value(); },
      [&] { return self.p2p->has_mail(); });
  return *message;
}

void mreceive(const Message& message, void* buffer, Count count, const Datatype& type, Status* status)
{
  ReceiveRequest request(*message.owner);
  request.set_matched(buffer, count, type, message.context);
  request.start_with(message.unexpected);
  finish_receive(request, status);
}

Request& imreceive(const Message& message, void* buffer, Count count, const Datatype& type)
{
  ReceiveRequest& request = message.owner->p2p->new_receive();
  request.set_matched(buffer, count, type, message.context);
  request.start_with(message.unexpected);
  return request;
}

void attach_buffer(Rank& self, void* address, Count size)
{
  Engine& engine = *self.p2p;
  if (engine.account)
    fail(ErrorClass::buffer, "a buffer of %lld bytes is attached already",
         static_cast<long long>(engine.account->size()));
  engine.account = new BufferAccount(address, size);
}

std::pair<void*, Count> detach_buffer(Rank& self)
{
  Engine& engine = *self.p2p;
  if (!engine.account) fail(ErrorClass::buffer, "no buffer is attached");
  const std::pair<void*, Count> buffer{engine.account->address(), engine.account->size()};
  std::exchange(engine.account, nullptr)->close();
  return buffer;
}

void send_parcel(Engine& dest, Rank& self, std::uint32_t context, int source, int tag, Mode mode,
                 const void* buffer, Count count, const Datatype& type)
{
  const Count bytes = count * type.size();
  BufferAccount* const account = mode == Mode::buffered ? self.p2p->account : nullptr;
  if (mode == Mode::buffered && !account)
    fail(ErrorClass::buffer, "a buffered send needs an attached buffer");
  Parcel* const parcel = Parcel::make(bytes);
  if (account && !account->charge(bytes)) {
    parcel->free();
    fail(ErrorClass::buffer, "the attached buffer of %lld bytes has no room for a message of %lld bytes",
         static_cast<long long>(account->size()), static_cast<long long>(bytes));
  }
  parcel->account = account;
  pack(buffer, count, type, 0, parcel->data, bytes);
  dest.push([&](Envelope& envelope) {
    envelope.context = context;
    envelope.tag = tag;
    envelope.source = source;
    envelope.carry = Carry::parcel;
    envelope.parcel = parcel;
  });
}

void complete_orphans(Rank& self)
{
  wait_until(
      self, self.parking,
      [&] {
        self.p2p->help_if_needed();
        return !self.p2p->has_orphans();
      },
      [&] { return self.p2p->has_mail(); });
}

}  // namespace ranklet::p2p
