// The front header of point-to-point communication (MPI 5.0 chapter 3).
//
// Arguments are valid: api/ has checked counts, ranks, tags and types. Buffers are typed: `count` elements of
// `type` at `buffer`. dest and source are ranks in the communicator's peers (the remote group of an
// intercommunicator), or proc_null, for receives also any_source. All functions may be called by several
// threads of a rank at once if its thread level is MPI_THREAD_MULTIPLE.
//
// Paths: up to 40 bytes travel in the mailbox cell, a few hundred in several cells; up to
// JobOptions::eager_limit the data is offered in the send buffer to a receiver that looks (offers.hpp), else
// copied to a parcel (one copy more, the send never waits); longer and synchronous ones are copied once, from
// the send buffer to the receive buffer, by whichever thread matches them first, and large ones by two
// threads. While a receiver keeps more than JobOptions::unexpected_limit of what came before its receives,
// all that is sent to it stays in the send buffer.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "p2p/buffered.hpp"
#include "p2p/orphans.hpp"
#include "p2p/p2p_request.hpp"
#include "ranks/ranks.hpp"

namespace ranklet::p2p {

// Gives every rank of a job its engine.
Extension extension() noexcept;

// Blocking. Errors: buffer (buffered mode without room), no_mem.
void send(Communicator& comm, Mode mode, const void* buffer, Count count, const Datatype& type, int dest,
          int tag);
// Errors: truncate, after the status (may be null) is filled.
void receive(Communicator& comm, void* buffer, Count count, const Datatype& type, int source, int tag,
             Status* status);

// Nonblocking: an active request; it ends by wait() and reap(), then release(). Entry points have those of
// starting.hpp.
Request& isend(Communicator& comm, Mode mode, const void* buffer, Count count, const Datatype& type, int dest,
               int tag);
Request& ireceive(Communicator& comm, void* buffer, Count count, const Datatype& type, int source, int tag);

// The request that all isend() of the rank have in common that were complete when they returned.
Request& copied_sends(Rank& self) noexcept;

// Persistent: an inactive request for start().
Request& send_init(Communicator& comm, Mode mode, const void* buffer, Count count, const Datatype& type,
                   int dest, int tag);
Request& receive_init(Communicator& comm, void* buffer, Count count, const Datatype& type, int source,
                      int tag);

// Both at once, without deadlock; the second form sends and receives in one buffer (§3.11).
void send_receive(Communicator& comm, const void* send_buffer, Count send_count, const Datatype& send_type,
                  int dest, int send_tag, void* receive_buffer, Count receive_count,
                  const Datatype& receive_type, int source, int receive_tag, Status* status);
void send_receive_replace(Communicator& comm, void* buffer, Count count, const Datatype& type, int dest,
                          int send_tag, int source, int receive_tag, Status* status);

// The same, nonblocking.
Request& isend_receive(Communicator& comm, const void* send_buffer, Count send_count,
                       const Datatype& send_type, int dest, int send_tag, void* receive_buffer,
                       Count receive_count, const Datatype& receive_type, int source, int receive_tag);
Request& isend_receive_replace(Communicator& comm, void* buffer, Count count, const Datatype& type, int dest,
                               int send_tag, int source, int receive_tag);

// MPI_Probe waits for a message that matches; MPI_Iprobe looks for one.
Status probe(Communicator& comm, int source, int tag);
std::optional<Status> iprobe(Communicator& comm, int source, int tag);

// A message that was matched but not received (§3.8.2); null inside: from MPI_PROC_NULL.
struct Message {
  Unexpected* unexpected = nullptr;
  Rank* owner = nullptr;
  std::uint32_t context = 0;
};
Message mprobe(Communicator& comm, int source, int tag, Status* status);
std::optional<Message> improbe(Communicator& comm, int source, int tag, Status* status);
// The message is used up. Errors: truncate.
void mreceive(const Message& message, void* buffer, Count count, const Datatype& type, Status* status);
Request& imreceive(const Message& message, void* buffer, Count count, const Datatype& type);
// At the end of the job: gives back what was never received; whether there is a message that was not even
// matched.
void discard(const Message& message) noexcept;
bool has_unreceived(Rank& self) noexcept;
// Whether what is sent to the rank waits, as it keeps JobOptions::unexpected_limit of unreceived messages; a
// hint.
bool is_full(const Rank& rank) noexcept;
// Any thread: those that have come to the rank and that no receive has taken, in the order of their arrival.
std::vector<WaitingMessage> waiting_messages(Rank& rank);

// What a buffered message takes of the attached buffer beyond its data: MPI_BSEND_OVERHEAD.
inline constexpr Count buffer_overhead = 512;

// Partitioned communication (chapter 4): inactive requests for start(), matched in the order of these calls.
// `count` elements in each partition; source is no wildcard. Errors: arg (partitions), count.
Request& partitioned_send_init(Communicator& comm, const void* buffer, int partitions, Count count,
                               const Datatype& type, int dest, int tag);
Request& partitioned_receive_init(Communicator& comm, void* buffer, int partitions, Count count,
                                  const Datatype& type, int source, int tag);
// MPI_Pready and MPI_Parrived, by any threads of the rank at once. Errors: request (of another kind, or a
// send that is not active), arg (no such partition, or it was marked ready before).
void mark_ready(Request& send, int partition);
bool has_arrived(Request& receive, int partition);

// Whether messages have come to the rank that it has not looked at.
bool has_mail(const Rank& self) noexcept;

// MPI_Request_free of an active request: the operation goes on, and the object is given back when it is
// complete. comm: whose error handler gets the error that it may fail with; null: none known any more.
void let_go(Request& request, CommRef comm);
// Whether take_late_errors() might find something; cheap. It gives what such operations have failed with.
bool suspects_late_errors(const Rank& self) noexcept;
std::vector<LateError> take_late_errors(Rank& self);
// For MPI_Finalize: waits until the operations that the user has let go of are complete.
void complete_orphans(Rank& self);

}  // namespace ranklet::p2p
