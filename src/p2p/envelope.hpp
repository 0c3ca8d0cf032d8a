// What travels through a mailbox: the envelope of a message (MPI 5.0 §3.2.3) and its data, or where the data
// is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace ranklet::p2p {

class BufferAccount;
class SendRequest;

// The data of a message that was copied out of the send buffer. Allocated by the sender's thread, freed by
// the one that delivers it.
struct Parcel {
  BufferAccount* account;  // charged for a buffered send, else null
  Count bytes;
  alignas(16) std::byte data[1];  // `bytes` of them

  // Errors: no_mem.
  static Parcel* make(Count bytes);
  void free() noexcept;
};

enum class Carry : std::uint8_t {
  inside,  // the data is in the envelope
  parcel,  // the data was copied to a Parcel
  direct,  // the data lies in the send buffer until the sender's request is finished
};

struct Envelope {
  static constexpr Count capacity = 40;  // bytes that travel inside

  std::uint32_t context;
  std::int32_t tag;
  std::int32_t source;  // in the communicator, for an intercommunicator in the sender's group
  Carry carry;
  std::uint8_t inside_bytes;
  union {
    std::byte inside[capacity];
    Parcel* parcel;
    SendRequest* sender;
  };

  // Of the packed data.
  Count bytes() const noexcept;
};

// What MPI_Probe says of the message.
inline Status status_of(const Envelope& envelope) noexcept
{
  Status status;
  status.source = envelope.source;
  status.tag = envelope.tag;
  status.bytes = envelope.bytes();
  return status;
}

static_assert(sizeof(Envelope) == 56, "an envelope and the turn of its cell fill one cache line");

}  // namespace ranklet::p2p
