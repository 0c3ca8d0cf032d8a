// Sending by copying the data out of the send buffer: the send is complete when the call returns.
#pragma once

#include <cstring>

#include "p2p/engine.hpp"

namespace ranklet::p2p {

// Whether a message of this mode and size is sent by copying it out without more ado.
inline bool eager(const Job& job, Mode mode, Count bytes) noexcept
{
  switch (mode) {
    case Mode::buffered:  // is copied out as well, but has to be charged
    case Mode::synchronous:
      return false;
    case Mode::standard:
    case Mode::ready:
      break;
  }
  return bytes <= job.short_way_limit();
}

// account: what a buffered message is charged to, or null. Errors: no_mem.
// sent_by: the call that sends it, for reports, or null.
void send_parcel(Engine& dest, std::uint32_t context, int source, int tag, BufferAccount* account,
                 const void* buffer, Count count, const Datatype& type,
                 const RecordedCall* sent_by = nullptr);

// For more than Envelope::capacity bytes and at most longest_train: the data goes from the send buffer to
// cells of the receiver's mailbox.
[[gnu::always_inline]] inline void send_train(Engine& dest, std::uint32_t context, int source, int tag,
                                              const std::byte* data, Count bytes, bool streams)
{
  const std::uint32_t cells = Envelope::train_cells(bytes);
  dest.push_train(
      cells,
      [&](Envelope & envelope) __attribute__((always_inline)) {
        envelope.context = context;
        envelope.tag = tag;
        envelope.source = source;
        envelope.carry = Carry::train;
        envelope.train.bytes = bytes;
        std::memcpy(envelope.train.head, data, Envelope::train_head);
      },
      [&](Envelope & cell, std::uint32_t i) __attribute__((always_inline)) {
        const Count offset = Envelope::train_offset(i);
        if (i + 1 < cells) [[likely]]
          std::memcpy(piece_of(cell), data + offset, Envelope::train_piece);
        else
          copy_inside(piece_of(cell), data + offset, static_cast<std::size_t>(bytes - offset));
      },
      streams);
}

// For more than Envelope::capacity bytes.
[[gnu::noinline]] inline void send_longer(Engine& dest, std::uint32_t context, int source, int tag,
                                          const void* buffer, Count count, const Datatype& type, bool streams)
{
  const Count bytes = count * type.size();
  if (bytes <= longest_train && type.is_contiguous())
    send_train(dest, context, source, tag, static_cast<const std::byte*>(buffer), bytes, streams);
  else
    send_parcel(dest, context, source, tag, nullptr, buffer, count, type);
}

// Hot: for small contiguous data one cell of the receiver's mailbox is written, and nothing else. streams:
// see Ring::try_push.
[[gnu::always_inline]] inline void send_eagerly(Engine& dest, std::uint32_t context, int source, int tag,
                                                const void* buffer, Count count, const Datatype& type,
                                                bool streams = false)
{
  const Count bytes = count * type.size();
  if (bytes > Envelope::capacity)
    return send_longer(dest, context, source, tag, buffer, count, type, streams);
  // Packed before a cell is claimed, as that may fail.
  std::byte packed[Envelope::capacity];
  const std::byte* data = static_cast<const std::byte*>(buffer);
  if (!type.is_contiguous()) {
    pack(buffer, count, type, 0, packed, bytes);
    data = packed;
  }
  dest.push(
      [&](Envelope & envelope) __attribute__((always_inline)) {
        envelope.context = context;
        envelope.tag = tag;
        envelope.source = source;
        envelope.carry = Carry::inside;
        envelope.inside_bytes = static_cast<std::uint8_t>(bytes);
        copy_inside(envelope.inside, data, static_cast<std::size_t>(bytes));
      },
      streams);
}

// The same by the shuttle between the two; false, with nothing sent, if it does not go that way now.
[[gnu::always_inline]] inline bool send_by_shuttle(Engine& sender, Engine& dest, std::uint32_t context,
                                                   int source, int tag, const void* buffer, Count count,
                                                   const Datatype& type) noexcept
{
  const Count bytes = count * type.size();
  const auto* const data = static_cast<const std::byte*>(buffer);
  return sender.try_shuttle(
      dest, bytes <= longest_train && type.is_contiguous(),
      [&](Envelope & envelope, ShuttleData & behind) __attribute__((always_inline)) {
        envelope.context = context;
        envelope.tag = tag;
        envelope.source = source;
        if (bytes <= Envelope::capacity) {
          envelope.carry = Carry::inside;
          envelope.inside_bytes = static_cast<std::uint8_t>(bytes);
          copy_inside(envelope.inside, data, static_cast<std::size_t>(bytes));
        } else {
          envelope.carry = Carry::train;
          envelope.train.bytes = bytes;
          std::memcpy(envelope.train.head, data, Envelope::train_head);
          const auto rest = static_cast<std::size_t>(bytes - Envelope::train_head);
          std::memcpy(behind.bytes, data + Envelope::train_head, rest);
          memmodel::Native::pass_on(behind.bytes, rest);
        }
      });
}

}  // namespace ranklet::p2p
