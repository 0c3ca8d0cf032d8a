// Probes, and messages that they take out of matching (MPI 5.0 §3.8).
#include <optional>

#include "p2p/arbitrated.hpp"
#include "p2p/engine.hpp"
#include "p2p/p2p.hpp"

namespace ranklet::p2p {

namespace {

Status proc_null_status() noexcept
{
  Status status;
  status.source = proc_null;
  return status;
}

}  // namespace

std::optional<Status> iprobe(Communicator& comm, int source, int tag)
{
  if (source == proc_null) return proc_null_status();
  if (comm.self().job.options().arbiter) [[unlikely]]
    return arbitrated_iprobe(comm, source, tag);
  return comm.self().p2p->probe(comm.context(), source, tag);
}

Status probe(Communicator& comm, int source, int tag)
{
  if (source == proc_null) return proc_null_status();
  Rank& self = comm.self();
  if (self.job.options().arbiter) [[unlikely]]
    return arbitrated_probe(comm, source, tag);
  std::optional<Status> status;
  wait_for_message(self, [&] { return (status = self.p2p->probe(comm.context(), source, tag)).has_value(); });
  return *status;
}

std::optional<Message> improbe(Communicator& comm, int source, int tag, Status* status)
{
  Rank& self = comm.self();
  Message message{nullptr, &self, comm.context()};
  if (source == proc_null) {
    write_status(status, proc_null_status());
    return message;
  }
  message.unexpected = self.job.options().arbiter ? arbitrated_take(comm, false, source, tag)
                                                  : self.p2p->take(comm.context(), source, tag);
  if (!message.unexpected) return std::nullopt;
  write_status(status, status_of(message.unexpected->envelope));
  return message;
}

Message mprobe(Communicator& comm, int source, int tag, Status* status)
{
  Rank& self = comm.self();
  std::optional<Message> message;
  if (source != proc_null && self.job.options().arbiter) [[unlikely]] {
    message = Message{arbitrated_take(comm, true, source, tag), &self, comm.context()};
    write_status(status, status_of(message->unexpected->envelope));
  } else {
    wait_for_message(self, [&] { return (message = improbe(comm, source, tag, status)).has_value(); });
  }
  return *message;
}

void mreceive(const Message& message, void* buffer, Count count, const Datatype& type, Status* status)
{
  ReceiveRequest request(*message.owner);
  request.set_matched(buffer, count, type, message.context);
  request.start_with(message.unexpected);
  request.finish_call(status);
}

Request& imreceive(const Message& message, void* buffer, Count count, const Datatype& type)
{
  ReceiveRequest& request = message.owner->p2p->new_receive();
  request.set_matched(buffer, count, type, message.context);
  request.start_with(message.unexpected);
  return request;
}

void discard(const Message& message) noexcept
{
  if (message.unexpected) message.owner->p2p->discard(*message.unexpected);
}

}  // namespace ranklet::p2p
