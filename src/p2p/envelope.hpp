// What travels through a mailbox: the envelope of a message (MPI 5.0 §3.2.3) and its data, or where the data
// is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "terms/recorded_call.hpp"
#include "terms/types.hpp"

namespace ranklet::p2p {

class BufferAccount;
class Engine;
class SendRequest;

// The data of a message that was copied out of the send buffer. Allocated by the sender's thread, freed by
// the one that delivers it.
struct Parcel {
  BufferAccount* account;  // charged for a buffered send, else null
  Count bytes;
  Ref<const RecordedCall> sent_by;  // in jobs that are checked
  const void* site;                 // return address of the sender's call; null: not known
  alignas(16) std::byte data[1];    // `bytes` of them

  // receiver: who will free it, if that is another rank's thread. Errors: no_mem.
  static Parcel* make(Count bytes, Engine* receiver = nullptr);
  // The same; null if there is no memory.
  static Parcel* find(Count bytes, Engine* receiver = nullptr) noexcept;
  void free() noexcept;
};

enum class Carry : std::uint8_t {
  inside,  // the data is in the envelope
  train,   // the data is in the envelope and in the cells behind it; only in a mailbox
  parcel,  // the data was copied to a Parcel
  direct,  // the data lies in the send buffer until the sender's request is finished
};

struct Envelope {
  static constexpr Count capacity = 40;  // bytes that travel inside
  // Of a train: bytes that travel in the first cell, and in each other one.
  static constexpr Count train_head = 32;
  static constexpr Count train_piece = 56;

  struct Train {
    Count bytes;  // of the message
    std::byte head[train_head];
  };

  std::uint32_t context;
  std::int32_t tag;
  std::int32_t source;  // in the communicator, for an intercommunicator in the sender's group
  Carry carry;
  union {
    std::uint8_t inside_bytes;
    std::uint8_t parcel_cells;  // of the mailbox
  };
  union {
    std::byte inside[capacity];
    Train train;
    Parcel* parcel;
    SendRequest* sender;
  };

  // Of the packed data.
  Count bytes() const noexcept;
  // How many cells of the mailbox it takes. Of a parcel it need not be there any more.
  std::uint32_t cells() const noexcept
  {
    switch (carry) {
      case Carry::train:
        return train_cells(train.bytes);
      case Carry::parcel:
        return parcel_cells;
      case Carry::inside:
      case Carry::direct:
        break;
    }
    return 1;
  }
  // Where the data of the cell i of a train begins in the message; i >= 1.
  static constexpr Count train_offset(std::uint32_t i) noexcept { return train_head + (i - 1) * train_piece; }
  static constexpr std::uint32_t train_cells(Count bytes) noexcept
  {
    return 1 + static_cast<std::uint32_t>((bytes - train_head + train_piece - 1) / train_piece);
  }
  // A parcel takes one for each KiB, so that a mailbox is full before what lies in parcels has left the
  // caches; but not so many that one alone would fill it.
  static constexpr std::uint32_t cells_of_parcel(Count bytes) noexcept
  {
    constexpr Count in_a_cell = 1024, most = 32;
    return static_cast<std::uint32_t>(std::clamp<Count>(bytes / in_a_cell, 1, most));
  }
  // The return address of the call that has sent it; null: not known, as of short messages.
  const void* site() const noexcept;
  // The call that has sent it, in jobs that are checked.
  Ref<const RecordedCall> sent_by() const noexcept;
};

// What a cell behind an envelope holds.
static_assert(sizeof(Envelope) == Envelope::train_piece);

// The longest message that travels in a train, and the cells of a mailbox, which fit the caches nearest to a
// core. A longer message is faster in a block: whole lines are written without being fetched first, and its
// receiver does not look ahead into lines that the next message is written to.
inline constexpr Count longest_train = 1024;
inline constexpr std::uint32_t mailbox_cells = 128;
static_assert(Envelope::train_cells(longest_train) * 4 <= mailbox_cells);

// What comes with an envelope by a shuttle: the data of a train behind its head.
struct ShuttleData {
  alignas(64) std::byte bytes[longest_train - Envelope::train_head];
};

// At most Envelope::capacity bytes, in line: for a few bytes the call of memcpy would be most of the cost.
inline void copy_inside(std::byte* to, const std::byte* from, std::size_t bytes) noexcept
{
  if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else if (bytes >= 8) {
    // Words, the last one overlapping.
    for (std::size_t i = 0; i + 8 <= bytes; i += 8) std::memcpy(to + i, from + i, 8);
    std::memcpy(to + bytes - 8, from + bytes - 8, 8);
  } else if (bytes >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + bytes - 4, from + bytes - 4, 4);
  } else {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

// The data of a cell behind an envelope.
inline std::byte* piece_of(Envelope& cell) noexcept
{
  return reinterpret_cast<std::byte*>(&cell);
}

// What MPI_Probe says of the message.
inline Status status_of(const Envelope& envelope) noexcept
{
  Status status;
  status.source = envelope.source;
  status.tag = envelope.tag;
  status.bytes = envelope.bytes();
  return status;
}

// A message that no receive has taken.
struct WaitingMessage {
  std::uint32_t context;
  Status status;
};

static_assert(sizeof(Envelope) == 56, "an envelope and the turn of its cell fill one cache line");

}  // namespace ranklet::p2p
