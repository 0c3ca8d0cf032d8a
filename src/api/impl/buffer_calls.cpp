// Buffers for buffered sends (MPI 5.0 §3.6).
#include <tuple>

#include "api/impl/impl.hpp"

#include "p2p/p2p.hpp"

namespace ranklet::api::impl {

namespace {

void attach(p2p::AttachedBuffer& place, void* buffer, Count size)
{
  place.attach(buffer, size, buffer == MPI_BUFFER_AUTOMATIC);
}

// Nothing is left to wait for after a flush (p2p/buffered.hpp).
Request* flush_at_once(Rank& self, p2p::AttachedBuffer& place)
{
  place.flush();
  return &self.api->done_request;
}

}  // namespace

void Buffer_attach(Rank& self, void* buffer, Count size)
{
  attach(p2p::process_buffer(self), buffer, size);
}

void Buffer_detach(Rank& self, void*& buffer_addr, Count& size)
{
  std::tie(buffer_addr, size) = p2p::process_buffer(self).detach();
}

void Buffer_flush(Rank& self)
{
  p2p::process_buffer(self).flush();
}

void Buffer_iflush(Rank& self, Request*& request)
{
  request = flush_at_once(self, p2p::process_buffer(self));
}

void Comm_attach_buffer(Rank&, Communicator& comm, void* buffer, Count size)
{
  attach(p2p::comm_buffer(comm), buffer, size);
}

void Comm_detach_buffer(Rank&, Communicator& comm, void*& buffer_addr, Count& size)
{
  std::tie(buffer_addr, size) = p2p::comm_buffer(comm).detach();
}

void Comm_flush_buffer(Rank&, Communicator& comm)
{
  p2p::comm_buffer(comm).flush();
}

void Comm_iflush_buffer(Rank& self, Communicator& comm, Request*& request)
{
  request = flush_at_once(self, p2p::comm_buffer(comm));
}

void Session_attach_buffer(Rank&, Session& session, void* buffer, Count size)
{
  attach(*session.buffer, buffer, size);
}

void Session_detach_buffer(Rank&, Session& session, void*& buffer_addr, Count& size)
{
  std::tie(buffer_addr, size) = session.buffer->detach();
}

void Session_flush_buffer(Rank&, Session& session)
{
  session.buffer->flush();
}

void Session_iflush_buffer(Rank& self, Session& session, Request*& request)
{
  request = flush_at_once(self, *session.buffer);
}

}  // namespace ranklet::api::impl
