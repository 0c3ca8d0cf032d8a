// Messages in several cells of a mailbox: taken out of it.
#include <cstring>

#include "p2p/engine.hpp"

namespace ranklet::p2p {

// A train has to leave the mailbox: nobody knows when its receive comes.
void Engine::keep_train(const Envelope& envelope)
{
  const Count bytes = envelope.train.bytes;
  Envelope kept = envelope;
  kept.carry = Carry::parcel;
  kept.parcel = Parcel::make(bytes);
  copy_train(kept.parcel->data, envelope);
  try {
    unexpected_.add(kept);
  } catch (...) {
    kept.parcel->free();
    throw;
  }
}

void Engine::copy_train(std::byte* to, const Envelope& envelope) noexcept
{
  const Count bytes = envelope.train.bytes;
  const auto behind_head = static_cast<std::size_t>(bytes - Envelope::train_head);
  if (const ShuttleData* const data = mailbox_.extra_of(envelope)) {
    for (std::size_t i = 0; i < behind_head; i += 64) memmodel::Native::prefetch_to_write(data->bytes + i);
    std::memcpy(to, envelope.train.head, Envelope::train_head);
    std::memcpy(to + Envelope::train_head, data->bytes, behind_head);
    return;
  }
  const std::uint32_t cells = Envelope::train_cells(bytes);
  mailbox_.prefetch_train(cells);
  std::memcpy(to, envelope.train.head, Envelope::train_head);
  to += Envelope::train_head;
  for (std::uint32_t i = 1; i + 1 < cells; ++i, to += Envelope::train_piece)
    std::memcpy(to, piece_of(mailbox_.behind_front(i)), Envelope::train_piece);
  copy_inside(to, piece_of(mailbox_.behind_front(cells - 1)),
              static_cast<std::size_t>(bytes - Envelope::train_offset(cells - 1)));
}

}  // namespace ranklet::p2p
