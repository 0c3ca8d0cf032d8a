#include "p2p/engine.hpp"

#include <cstring>
#include <utility>

#include "terms/error.hpp"

namespace ranklet::p2p {

namespace {

// Below this a loop waits for the token by spinning only.
constexpr int token_spins = 1000;

}  // namespace

Engine::~Engine()
{
  // Messages that nobody received.
  for (; Envelope* const envelope = mailbox_.front(); mailbox_.pop(envelope->cells()))
    if (envelope->carry == Carry::parcel) envelope->parcel->free();
}

void Engine::make_room()
{
  if (help()) return;
  // The receiver, or somebody for it, is at it: with half a mailbox free this sender can go on for a while,
  // where one message more would bring it back here.
  for (int i = 0; i < rank_.job.wait_policy().spins; ++i) {
    if (mailbox_.looks_half_free()) return;
    memmodel::Native::pause();
  }
  memmodel::Native::yield();
}

bool Engine::help()
{
  if (!token_.try_acquire()) return false;
  const Hold hold(*this, true);
  drain();
  return true;
}

void Engine::await_token()
{
  wait_until(
      rank_, rank_.parking, [&] { return token_.try_acquire(); }, [&] { return !token_.looks_held(); });
}

Engine::Hold Engine::any_token() noexcept
{
  for (int i = 0; !token_.try_acquire(); ++i) {
    if (i < token_spins)
      memmodel::Native::pause();
    else
      memmodel::Native::yield();
  }
  return Hold(*this, false);
}

void Engine::drain()
{
  if (holds_) [[unlikely]] {
    collect();
    return settle();
  }
  while (Envelope* const envelope = mailbox_.front()) {
    if (ReceiveRequest* const request = posted_.empty() ? nullptr : posted_.find(*envelope)) {
      posted_.remove(*request);
      deliver(*request, *envelope);
    } else {
      keep(*envelope);
    }
    mailbox_.pop(envelope->cells());
  }
}

void Engine::keep(const Envelope& envelope)
{
  if (envelope.carry == Carry::train)
    keep_train(envelope);
  else
    unexpected_.add(envelope);
  kept_.publish(kept_.value() + 1);
}

bool Engine::take_unexpected(ReceiveRequest& request)
{
  Unexpected* const message = unexpected_.find(request.context_, request.source_, request.tag_);
  if (!message) return false;
  unexpected_.remove(*message);
  deliver(request, message->envelope);
  unexpected_.recycle(*message);
  return true;
}

void Engine::post(ReceiveRequest& request)
{
  streams_to_.set(nullptr);
  if (arbitrated_) [[unlikely]]
    arbitrate(request);
  const Hold hold = own_token();
  if (holds_) [[unlikely]] {
    collect();
    posted_.add(request);
    return settle();
  }
  if (!unexpected_.empty() && take_unexpected(request)) return;
  if (posted_.empty()) {
    // With no other receive posted, the messages in the mailbox are compared with this one only.
    while (Envelope* const envelope = mailbox_.front()) {
      const bool matches = request.matches(*envelope);
      if (matches)
        deliver(request, *envelope);
      else
        keep(*envelope);
      mailbox_.pop(envelope->cells());
      if (matches) return;
    }
  } else {
    // What is in the mailbox came before this receive and may match an earlier one.
    drain();
    if (!unexpected_.empty() && take_unexpected(request)) return;
  }
  posted_.add(request);
}

bool Engine::receive_next(void* buffer, Count room, const Datatype& type, const Communicator& comm,
                          int source, int tag, Status* status)
{
  streams_to_.set(nullptr);
  if (!type.is_contiguous() || !token_.try_acquire()) return false;
  const memmodel::TokenGuard guard = memmodel::TokenGuard<>::adopt(token_);
  if (!posted_.empty() || !unexpected_.empty()) return false;
  // While the owner has a core of its own it keeps the token and looks: nobody needs to help it.
  const int spins = rank_.concurrent() ? 0 : rank_.job.wait_policy().spins;
  Envelope* envelope = mailbox_.front();
  for (int i = 0; !envelope; ++i) {
    if (i >= spins) return false;
    memmodel::Native::pause();
    envelope = mailbox_.front();
  }
  const Carry carry = envelope->carry;
  const bool offered = carry == Carry::direct && envelope->sender->offered_;
  if (carry != Carry::inside && carry != Carry::train && !offered) return false;
  // The hints are looked at only where the message does not fill the buffer.
  const Count bytes = carry == Carry::inside ? envelope->inside_bytes : envelope->bytes();
  const bool taken = envelope->context == comm.context() &&
                     (source == envelope->source || source == any_source) &&
                     (tag == envelope->tag || tag == any_tag) &&
                     (bytes == room || (bytes < room && !comm.hints.exact_length));
  if (!taken) return false;
  SendRequest* const sender = offered ? envelope->sender : nullptr;
  if (sender) {
    std::memcpy(buffer, sender->buffer_.address, static_cast<std::size_t>(bytes));
  } else if (carry == Carry::train) {
    copy_train(static_cast<std::byte*>(buffer), bytes);
  } else {
    copy_inside(static_cast<std::byte*>(buffer), envelope->inside, static_cast<std::size_t>(bytes));
  }
  if (status) {
    status->source = envelope->source;
    status->tag = envelope->tag;
    status->cancelled = 0;
    status->bytes = bytes;
  }
  mailbox_.pop(carry == Carry::train ? Envelope::train_cells(bytes) : 1);
  if (sender) sender->finish();
  return true;
}

bool Engine::withdraw(ReceiveRequest& request)
{
  const Hold hold = any_token();
  if (!request.posted_) return false;
  posted_.remove(request);
  if (holds_) [[unlikely]]
    settle();
  return true;
}

bool Engine::withdraw(const SendRequest& sender)
{
  const Hold hold = any_token();
  drain();
  Unexpected* const message = unexpected_.find(sender);
  if (!message) return false;
  unexpected_.remove(*message);
  unexpected_.recycle(*message);
  return true;
}

bool Engine::copy_out(SendRequest& sender)
{
  if (!token_.try_acquire()) return false;
  const Hold hold(*this, true);
  drain();
  if (sender.complete()) return true;
  Unexpected* const message = unexpected_.find(sender);
  if (message && is_full()) [[unlikely]] {
    sender.offered_ = false;
    return false;
  }
  return message && keep_copy(*message);
}

bool Engine::keep_copy(Unexpected& message) noexcept
{
  SendRequest& sender = *message.envelope.sender;
  const Count bytes = sender.buffer_.bytes();
  Parcel* parcel = nullptr;
  try {
    parcel = Parcel::make(bytes);
  } catch (const Error&) {
    return false;
  }
  std::memcpy(parcel->data, sender.buffer_.address, static_cast<std::size_t>(bytes));
  parcel->site = sender.site_;
  unexpected_.put_into(*parcel, message);
  sender.finish();
  return true;
}

std::vector<Ref<const RecordedCall>> Engine::unreceived()
{
  const Hold hold = any_token();
  drain();
  std::vector<Ref<const RecordedCall>> calls;
  unexpected_.for_each([&](const Unexpected& message) {
    if (auto sent_by = message.envelope.sent_by()) calls.push_back(std::move(sent_by));
  });
  return calls;
}

std::vector<WaitingMessage> Engine::waiting_messages()
{
  const Hold hold = any_token();
  std::vector<WaitingMessage> messages;
  unexpected_.for_each([&](const Unexpected& message) {
    messages.push_back({message.envelope.context, status_of(message.envelope)});
  });
  return messages;
}

std::optional<Status> Engine::probe(std::uint32_t context, int source, int tag)
{
  const Hold hold = own_token();
  drain();
  const Unexpected* const message = find_free(context, source, tag);
  if (!message) return std::nullopt;
  return status_of(message->envelope);
}

Unexpected* Engine::take(std::uint32_t context, int source, int tag)
{
  const Hold hold = own_token();
  drain();
  Unexpected* const message = find_free(context, source, tag);
  if (!message) return nullptr;
  // Nobody knows when its receive comes, and its sender finds it no more. Without memory it waits, as a large
  // one does.
  if (message->envelope.carry == Carry::direct && message->envelope.sender->offered_) keep_copy(*message);
  unexpected_.remove(*message);
  return message;
}

void Engine::deliver_taken(ReceiveRequest& request, Unexpected& message)
{
  const Hold hold = any_token();
  deliver(request, message.envelope);
  unexpected_.recycle(message);
}

void Engine::discard(Unexpected& message) noexcept
{
  if (message.envelope.carry == Carry::parcel) message.envelope.parcel->free();
  unexpected_.recycle(message);
}

}  // namespace ranklet::p2p
