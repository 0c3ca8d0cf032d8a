// Sending by copying the data out of the send buffer: the send is complete when the call returns.
#pragma once

#include "p2p/engine.hpp"

namespace ranklet::p2p {

// Whether a message of this mode and size is sent by copying it out.
inline bool eager(const Job& job, Mode mode, Count bytes) noexcept
{
  switch (mode) {
    case Mode::buffered:
      return true;
    case Mode::synchronous:
      return false;
    case Mode::standard:
    case Mode::ready:
      break;
  }
  return bytes <= static_cast<Count>(job.options().eager_limit);
}

// Errors: no_mem; buffer, if a buffered send finds no room in the attached buffer.
void send_parcel(Engine& dest, Rank& self, std::uint32_t context, int source, int tag, Mode mode,
                 const void* buffer, Count count, const Datatype& type);

// Hot: for small contiguous data one cell of the receiver's mailbox is written, and nothing else.
inline void send_eagerly(Engine& dest, Rank& self, std::uint32_t context, int source, int tag, Mode mode,
                         const void* buffer, Count count, const Datatype& type)
{
  const Count bytes = count * type.size();
  if (bytes > Envelope::capacity || mode == Mode::buffered) {
    send_parcel(dest, self, context, source, tag, mode, buffer, count, type);
    return;
  }
  dest.push([&](Envelope& envelope) {
    envelope.context = context;
    envelope.tag = tag;
    envelope.source = source;
    envelope.carry = Carry::inside;
    envelope.inside_bytes = static_cast<std::uint8_t>(bytes);
    if (type.is_contiguous())
      copy_inside(envelope.inside, static_cast<const std::byte*>(buffer), static_cast<std::size_t>(bytes));
    else
      pack(buffer, count, type, 0, envelope.inside, bytes);
  });
}

}  // namespace ranklet::p2p
