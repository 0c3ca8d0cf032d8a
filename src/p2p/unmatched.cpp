// What waits in an engine for its match: looked at, taken out, or taken back.
#include <cstring>
#include <utility>

#include "p2p/engine.hpp"
#include "terms/error.hpp"

namespace ranklet::p2p {

bool Engine::withdraw(ReceiveRequest& request)
{
  const Hold hold = any_token();
  match_new_receives();
  if (!request.posted_) return false;
  posted_.remove(request);
  if (holds_) [[unlikely]]
    settle();
  return true;
}

bool Engine::withdraw(const SendRequest& sender)
{
  for (;;) {
    {
      const Hold hold = any_token();
      drain();
      if (Unexpected* const message = unexpected_.find(sender)) {
        remove_unexpected(*message);
        unexpected_.recycle(*message);
        return true;
      }
      // Behind a cell that is claimed, but not published yet, it is neither kept nor matched.
      if (sender.complete() || !mailbox_.looks_claimed()) return false;
    }
    memmodel::Native::yield();
  }
}

bool Engine::copy_out(SendRequest& sender)
{
  if (!token_.try_acquire()) return false;
  const Hold hold(*this);
  // Where no receive waits the messages before it stay where they are: their receiver takes them from there
  // at less cost.
  const bool is_wanted = !posted_.empty() || new_receives_.first();
  if (is_wanted) drain();
  if (sender.complete()) return true;
  Envelope* const envelope = is_wanted ? nullptr : find_in_mailbox(sender);
  Unexpected* const message = envelope ? nullptr : unexpected_.find(sender);
  if (!envelope && !message) return false;
  if (is_full()) [[unlikely]] {
    sender.offered_ = false;
    if (new_receives_.want(memmodel::Wanted::at_once, current_rank() == &rank_)) match_new_receives();
    return false;
  }
  if (message) return keep_copy(*message);
  Parcel* const parcel = copy_of(sender);
  if (!parcel) return false;
  envelope->carry = Carry::parcel;
  envelope->parcel_cells = 1;
  envelope->parcel = parcel;
  sender.finish();
  return true;
}

Envelope* Engine::find_in_mailbox(const SendRequest& sender) noexcept
{
  // It is no message that a shuttle brings.
  for (std::uint32_t cells = 0; Envelope* const envelope = mailbox_.published(cells);
       cells += envelope->cells())
    if (envelope->carry == Carry::direct && envelope->sender == &sender) return envelope;
  return nullptr;
}

Parcel* Engine::copy_of(const SendRequest& sender) noexcept
{
  const Count bytes = sender.buffer_.bytes();
  Parcel* const parcel = Parcel::find(bytes, this);
  if (!parcel) return nullptr;
  std::memcpy(parcel->data, sender.buffer_.address, static_cast<std::size_t>(bytes));
  parcel->site = sender.site_;
  return parcel;
}

bool Engine::keep_copy(Unexpected& message) noexcept
{
  SendRequest& sender = *message.envelope.sender;
  Parcel* const parcel = copy_of(sender);
  if (!parcel) return false;
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
  remove_unexpected(*message);
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
