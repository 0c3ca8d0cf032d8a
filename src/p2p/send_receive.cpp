#include "p2p/send_receive.hpp"

#include <utility>

#include "p2p/eager.hpp"
#include "p2p/engine.hpp"
#include "p2p/p2p.hpp"

namespace ranklet::p2p {

PackedCopy::PackedCopy(const void* buffer, Count count, const Datatype& type) : bytes_(count * type.size())
{
  memory_.reset(allocate_shared(static_cast<std::size_t>(bytes_ > 0 ? bytes_ : 1)));
  if (!memory_)
    fail(ErrorClass::no_mem, "no memory for a copy of the %lld bytes to send",
         static_cast<long long>(bytes_));
  pack(buffer, count, type, 0, memory_.get(), bytes_);
}

void SendReceiveRequest::set(Request& send, Request& receive, PackedCopy copy)
{
  send_ = &send;
  receive_ = &receive;
  copy_ = std::move(copy);
  context_ = receive.context();
  done_.reset();
  active_ = true;
}

bool SendReceiveRequest::advance()
{
  if (complete()) return true;
  const bool sent = send_->advance();
  if (!receive_->advance() || !sent) return false;
  done_.set();
  return true;
}

bool SendReceiveRequest::ready_to_advance() const noexcept
{
  const bool sent = send_->complete();
  const bool received = receive_->complete();
  return (sent && received) || (!sent && send_->ready_to_advance()) ||
         (!received && receive_->ready_to_advance());
}

ErrorClass SendReceiveRequest::reap(Status* status)
{
  if (!active_) {
    if (status) *status = Status{};
    return ErrorClass::success;
  }
  send_->reap(nullptr);
  const ErrorClass error = receive_->reap(status);
  if (error != ErrorClass::success) note_failure(*receive_);
  active_ = false;
  return error;
}

void SendReceiveRequest::peek(Status* status) const
{
  if (active_)
    receive_->peek(status);
  else
    *status = Status{};
}

void SendReceiveRequest::release()
{
  send_->release();
  receive_->release();
  copy_ = {};
  active_ = false;
  owner_->p2p->recycle(*this);
}

namespace {

Request& join(Request& send, Request& receive, PackedCopy copy = {})
{
  SendReceiveRequest& both = receive.owner().p2p->new_send_receive();
  both.set(send, receive, std::move(copy));
  return both;
}

}  // namespace

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
  incoming.finish_call(status);
}

void send_receive_replace(Communicator& comm, void* buffer, Count count, const Datatype& type, int dest,
                          int send_tag, int source, int receive_tag, Status* status)
{
  const PackedCopy copy(buffer, count, type);
  send_receive(comm, copy.data(), copy.bytes(), predefined(Basic::byte), dest, send_tag, buffer, count, type,
               source, receive_tag, status);
}

Request& isend_receive(Communicator& comm, const void* send_buffer, Count send_count,
                       const Datatype& send_type, int dest, int send_tag, void* receive_buffer,
                       Count receive_count, const Datatype& receive_type, int source, int receive_tag)
{
  // Only the send can fail, and then nothing has been started.
  Request& send = isend(comm, Mode::standard, send_buffer, send_count, send_type, dest, send_tag);
  return join(send, ireceive(comm, receive_buffer, receive_count, receive_type, source, receive_tag));
}

Request& isend_receive_replace(Communicator& comm, void* buffer, Count count, const Datatype& type, int dest,
                               int send_tag, int source, int receive_tag)
{
  const Count bytes = count * type.size();
  if (dest == proc_null || (bytes < Offers::shortest && eager(comm.self().job, Mode::standard, bytes))) {
    // The data is copied out before the receive is posted.
    SendRequest& send = comm.self().p2p->new_send();
    send.set(Mode::standard, buffer, count, type, dest, send_tag, comm);
    try {
      send.start_copied();
    } catch (...) {
      send.give_back();
      throw;
    }
    return join(send, ireceive(comm, buffer, count, type, source, receive_tag));
  }
  PackedCopy copy(buffer, count, type);
  Request& send =
      isend(comm, Mode::standard, copy.data(), copy.bytes(), predefined(Basic::byte), dest, send_tag);
  return join(send, ireceive(comm, buffer, count, type, source, receive_tag), std::move(copy));
}

}  // namespace ranklet::p2p
