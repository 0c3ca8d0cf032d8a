#include "p2p/envelope.hpp"

#include <algorithm>
#include <new>

#include "base/memory.hpp"
#include "base/sanitizer_runtime.hpp"
#include "p2p/buffered.hpp"
#include "p2p/engine.hpp"
#include "p2p/p2p_request.hpp"
#include "terms/error.hpp"

namespace ranklet::p2p {

namespace {

// Never less than the object itself, whose construction writes all of it.
std::size_t size_for(Count bytes) noexcept
{
  const std::size_t size = std::max(sizeof(Parcel), offsetof(Parcel, data) + static_cast<std::size_t>(bytes));
  return allocations_are_watched() ? size : ParcelStock::rounded(size);
}

// Of the rank whose thread this is; null where a sanitizer is to watch each parcel.
ParcelStock* stock() noexcept
{
  const Rank* const rank = current_rank();
  return rank && rank->p2p && !allocations_are_watched() ? &rank->p2p->parcels : nullptr;
}

}  // namespace

Parcel* Parcel::make(Count bytes, Engine* receiver)
{
  Parcel* const parcel = find(bytes, receiver);
  if (!parcel)
    fail(ErrorClass::no_mem, "no memory to buffer a message of %lld bytes", static_cast<long long>(bytes));
  return parcel;
}

Parcel* Parcel::find(Count bytes, Engine* receiver) noexcept
{
  // Blocks that one thread makes and another frees: docs/decisions/onetbb.md.
  const std::size_t size = size_for(bytes);
  ParcelStock* const own = stock();
  void* memory = !own ? nullptr : receiver ? own->take(size, receiver->parcels) : own->take(size);
  if (!memory) memory = allocate_shared(size);
  if (!memory) return nullptr;
  return new (memory) Parcel{nullptr, bytes, {}, nullptr, {}};
}

void Parcel::free() noexcept
{
  if (account) account->refund(bytes);
  sent_by = {};
  ParcelStock* const own = stock();
  if (!own || !own->give(this, size_for(bytes))) free_shared(this);
}

Count Envelope::bytes() const noexcept
{
  switch (carry) {
    case Carry::inside:
      return inside_bytes;
    case Carry::train:
      return train.bytes;
    case Carry::parcel:
      return parcel->bytes;
    case Carry::direct:
      break;
  }
  return sender->buffer_.bytes();
}

const void* Envelope::site() const noexcept
{
  switch (carry) {
    case Carry::inside:
    case Carry::train:
      break;
    case Carry::parcel:
      return parcel->site;
    case Carry::direct:
      return sender->site_;
  }
  return nullptr;
}

Ref<const RecordedCall> Envelope::sent_by() const noexcept
{
  switch (carry) {
    case Carry::inside:
    case Carry::train:
      break;
    case Carry::parcel:
      return parcel->sent_by;
    case Carry::direct:
      return sender->sent_by_;
  }
  return {};
}

}  // namespace ranklet::p2p
