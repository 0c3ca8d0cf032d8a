// A message that has met its receive: its data moves into the buffer, and the request ends.
#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "base/fortran_site.hpp"
#include "p2p/engine.hpp"

namespace ranklet::p2p {

namespace {

// False if memory has ended before act() has: what is copied to and from some types needs some
// (datatype/copy.hpp).
template <class Act>
bool enough_memory(const Act& act) noexcept
{
  try {
    act();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// An error's text, if there is memory for it.
template <class Make>
void say(std::string& text, const Make& make) noexcept
{
  if (!enough_memory([&] { text = make(); })) text.clear();
}

// Writes the packed data of a message to the receive buffer: as much as has room.
bool store(const Buffer& buffer, const std::byte* data, Count bytes) noexcept
{
  return enough_memory(
      [&] { unpack(const_cast<void*>(buffer.address), buffer.count, *buffer.type, 0, data, bytes); });
}

}  // namespace

bool Engine::store_train(const Buffer& buffer, const Envelope& envelope) noexcept
{
  const Count bytes = envelope.train.bytes;
  if (buffer.type->is_contiguous() && bytes <= buffer.bytes()) [[likely]] {
    copy_train(static_cast<std::byte*>(const_cast<void*>(buffer.address)), envelope);
    return true;
  }
  std::byte packed[longest_train];
  copy_train(packed, envelope);
  return store(buffer, packed, bytes);
}

void Engine::deliver(ReceiveRequest& request, Envelope& envelope)
{
  Status& status = request.status_;
  status.source = envelope.source;
  status.tag = envelope.tag;
  const Count room = request.buffer_.bytes();
  const Count bytes = envelope.bytes();
  status.bytes = bytes;
  if (bytes != room && (bytes > room || request.exact_)) [[unlikely]] {
    status.bytes = std::min(bytes, room);
    request.error_ = bytes > room ? ErrorClass::truncate : ErrorClass::count;
    request.is_mismatch_ = true;
    say(request.error_message_, [&] {
      const std::string place = place_of_other_call(envelope.site());
      const std::string source = std::to_string(envelope.source), tag = std::to_string(envelope.tag);
      return "the message of " + std::to_string(bytes) + " bytes " +
             (place.empty() ? "from rank " + source + " with tag " + tag
                            : "with tag " + tag + ", sent by rank " + source + place + ",") +
             (bytes > room
                  ? " is longer than the receive buffer of "
                  : " is shorter, against the communicator's mpi_assert_exact_length, than the receive "
                    "buffer of ") +
             std::to_string(room) + " bytes";
    });
  }
  switch (envelope.carry) {
    case Carry::inside:
      // By memcpy, at which AddressSanitizer looks where the program has it.
      if (!store(request.buffer_, envelope.inside, bytes)) note_no_memory(request);
      break;
    case Carry::train:
      if (!store_train(request.buffer_, envelope)) note_no_memory(request);
      break;
    case Carry::parcel:
      if (!store(request.buffer_, envelope.parcel->data, bytes)) note_no_memory(request);
      if (envelope.parcel->sent_by) [[unlikely]]
        request.sent_by_ = envelope.parcel->sent_by;
      envelope.parcel->free();
      break;
    case Carry::direct:
      deliver_direct(request, *envelope.sender);
      break;
  }
  if (request.choice_ != ReceiveRequest::no_choice) [[unlikely]]
    request.owner().job.options().arbiter->end(request.owner(), request.choice_,
                                               {envelope.source, envelope.tag});
  const Rank& owner = request.owner();
  const bool failed = request.error_ != ErrorClass::success;
  request.finish();
  if (failed) [[unlikely]]
    owner.p2p->orphans.note_failure();
}

void Engine::note_no_memory(ReceiveRequest& request) noexcept
{
  request.error_ = ErrorClass::no_mem;
  request.is_mismatch_ = false;
  say(request.error_message_, [] { return "memory has ended while the message was unpacked"; });
}

void Engine::deliver_direct(ReceiveRequest& request, SendRequest& sender) noexcept
{
  const Buffer& from = sender.buffer_;
  const Buffer& to = request.buffer_;
  const Count bytes = from.bytes();
  void* const place = const_cast<void*>(to.address);
  if (sender.sent_by_) [[unlikely]]
    request.sent_by_ = sender.sent_by_;
  const auto parcel = std::move(sender.parcel_);
  const bool shareable = bytes <= to.bytes() && SharedCopy::worthwhile(bytes, *from.type, *to.type) &&
                         request.owner().job.wait_policy().spins > 0 && current_rank() != &sender.owner() &&
                         !parcel;
  bool copied = true;
  const auto copy_all = [&] {
    copied =
        parcel ? store(to, parcel->data, bytes)
        : shareable
            ? sender.copy_.offer(from.address, from.count, *from.type, place, to.count, *to.type)
            : enough_memory([&] { copy(from.address, from.count, *from.type, place, to.count, *to.type); });
  };
  if (sender.offered_) {
    sender.pace_ = Offers::copy_at(sender.pace_, bytes, copy_all);
  } else {
    // Who delivers for the receiver has other caches.
    if (current_rank() == &request.owner())
      sender.pace_ = Offers::pace_of(sender.pace_, from.address, bytes);
    else if (sender.pace_ == Offers::Pace::to_be_measured)
      sender.pace_ = Offers::Pace::not_measured;
    copy_all();
  }
  if (!copied) note_no_memory(request);
  sender.finish();
}

}  // namespace ranklet::p2p
