// The starts of messages, for the interface's entry points, which inline them: what most messages take calls
// no other function, and needs one section. Arguments as in p2p.hpp.
#pragma once

#include <cstdint>

#include "p2p/eager.hpp"
#include "p2p/engine.hpp"
#include "p2p/p2p.hpp"

namespace ranklet::p2p {

// How a message goes to its receiver, who is not MPI_PROC_NULL.
enum class Way : std::uint8_t {
  short_one,  // it is copied out at once
  offer,      // it may be copied out, but is offered first
  request,    // as SendRequest::start() finds
};

[[gnu::always_inline]] inline Way way_of(const Communicator& comm, Mode mode, Count count,
                                         const Datatype& type, int dest)
{
  const Rank& self = comm.self();
  const Count bytes = count * type.size();
  if (!eager(self.job, mode, bytes)) return Way::request;
  const Rank& peer = comm.peer(dest);
  if (peer.p2p->is_full()) [[unlikely]]
    return Way::request;
  return self.p2p->offers_first(peer, bytes, type) ? Way::offer : Way::short_one;
}

// What is not copied out at once, or needs a request of its own.
Request& isend_by(Way way, Communicator& comm, Mode mode, const void* buffer, Count count,
                  const Datatype& type, int dest, int tag);

// A message that is copied out at once.
[[gnu::always_inline]] inline void start_short(Communicator& comm, const void* buffer, Count count,
                                               const Datatype& type, int dest, int tag)
{
  Engine& receiver = *comm.peer(dest).p2p;
  Engine& sender = *comm.self().p2p;
  const Engine::Lane lane = sender.lane_to(receiver);
  if (lane == Engine::Lane::shuttle &&
      send_by_shuttle(sender, receiver, comm.context(), comm.rank(), tag, buffer, count, type))
    return;
  send_eagerly(receiver, comm.context(), comm.rank(), tag, buffer, count, type, lane == Engine::Lane::stream);
}

// isend().
[[gnu::always_inline]] inline Request& start_send(Communicator& comm, Mode mode, const void* buffer,
                                                  Count count, const Datatype& type, int dest, int tag)
{
  Engine& engine = *comm.self().p2p;
  Way way = Way::request;
  if (dest != proc_null && engine.shares_requests()) [[likely]]
    way = way_of(comm, mode, count, type, dest);
  if (way != Way::short_one) return isend_by(way, comm, mode, buffer, count, type, dest, tag);
  start_short(comm, buffer, count, type, dest, tag);
  return engine.sent;
}

// ireceive(), whose request hand_out gets: see Engine::start_receive().
template <class HandOut>
[[gnu::always_inline]] inline void start_receive(Communicator& comm, void* buffer, Count count,
                                                 const Datatype& type, int source, int tag,
                                                 HandOut&& hand_out)
{
  comm.self().p2p->start_receive(buffer, count, type, source, tag, comm, hand_out);
}

}  // namespace ranklet::p2p
