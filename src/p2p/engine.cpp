#include "p2p/engine.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "p2p/room_wait.hpp"

namespace ranklet::p2p {

namespace {

// Below this a loop waits for the token by spinning only.
constexpr int token_spins = 1000;

// So many looks before a sender that waits with its place yields: others wait behind it. Fewer where the
// token's holder may wait for this core.
constexpr int looks_with_place = 16, looks_on_shared_core = 4;

}  // namespace

Engine::~Engine()
{
  rank_.matching = nullptr;
  // Messages that nobody received; what a shuttle brings owns no memory.
  mailbox_.forget_shuttle();
  for (; Envelope* const envelope = mailbox_.front(); mailbox_.pop(*envelope, envelope->cells()))
    if (envelope->carry == Carry::parcel) envelope->parcel->free();
}

void Engine::make_room()
{
  // With half a mailbox free this sender can go on for a while, where one message more would bring it back
  // here.
  const int spins = rank_.job.wait_policy().spins;
  const std::uint32_t begun = begun_.get();
  const bool is_slow = unexpected_.is_long() || begun - begun_slowly_.get() <= mailbox_cells;
  RoomWait wait(spins, begun, spins > 0 && is_slow && begun != begun_in_vain_.get());
  for (int looks = 0; wait.goes_on(); ++looks) {
    const std::uint64_t cells = mailbox_.beyond_half();
    if (cells == 0) {
      if (wait.was_patient()) note_slow(wait.pauses());
      return;
    }
    if (wait.wants_help(cells, [&] { return begun_.get(); }) && takes_for_receiver()) return;
    wait.note_paused(pause_while_lacking(cells, looks));
  }
  if (wait.was_in_vain()) begun_in_vain_.set(wait.begun());
  if (!takes_for_receiver()) memmodel::Native::yield();
}

// For a sender that has waited so long for room.
void Engine::note_slow(std::int64_t pauses) noexcept
{
  constexpr std::int64_t most = std::numeric_limits<std::uint16_t>::max();
  begun_slowly_.set(begun_.get());
  if (const Rank* const self = current_rank())
    self->p2p->held_up_.set({static_cast<std::uint16_t>(std::min(pauses, most)), mailbox_cells});
}

bool Engine::takes_for_receiver()
{
  // What is behind a place whose owner has not filled it cannot be taken.
  return mailbox_.looks_nonempty() && help();
}

void Engine::wait_with_place(std::uint64_t cells, int looks) noexcept
{
  try {
    if (takes_for_receiver()) return;
  } catch (...) {
    // What cannot be kept for want of memory stays in the mailbox, and its receiver is told when it looks.
  }
  if (looks >= (rank_.job.wait_policy().spins > 0 ? looks_with_place : looks_on_shared_core))
    memmodel::Native::yield();
  else
    pause_while_lacking(cells, looks);
}

bool Engine::help(const ReceiveRequest* awaited)
{
  if (!token_.try_acquire()) return false;
  const Hold hold(*this);
  drain(awaited);
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
  return Hold(*this);
}

// How soon the receive of a message is wanted that is kept: a sender waits for that of what lies in its
// buffer. While it may copy out it looks itself.
memmodel::Wanted Engine::wanted_for(const Envelope& envelope) noexcept
{
  return envelope.carry == Carry::direct && !envelope.sender->offered_ ? memmodel::Wanted::at_once
                                                                       : memmodel::Wanted::at_leisure;
}

inline ReceiveRequest* Engine::receive_for(const Envelope& envelope)
{
  // Mostly it is the oldest new one, and has never been in the queue.
  if (posted_.empty() && unexpected_.empty()) [[likely]] {
    ReceiveRequest* const first = new_receives_.first();
    if (first && first->matches(envelope)) [[likely]] {
      new_receives_.pop();
      return first;
    }
  }
  return find_receive_for(envelope);
}

// Of what deliver() does, the most frequent; false: something else is needed, and nothing is done.
[[gnu::always_inline]] inline bool Engine::deliver_short(ReceiveRequest& request,
                                                         const Envelope& envelope) noexcept
{
  const bool train = envelope.carry == Carry::train;
  const Count bytes = train ? envelope.train.bytes : envelope.inside_bytes;
  if ((!train && envelope.carry != Carry::inside) || bytes == 0 || bytes != request.buffer_.bytes() ||
      !request.buffer_.type->is_contiguous() || request.choice_ != ReceiveRequest::no_choice)
    return false;
  request.status_.source = envelope.source;
  request.status_.tag = envelope.tag;
  request.status_.bytes = bytes;
  auto* const to = static_cast<std::byte*>(const_cast<void*>(request.buffer_.address));
  // By memcpy, at which AddressSanitizer looks where the program has it.
  if (train)
    copy_train(to, envelope);
  else
    std::memcpy(to, envelope.inside, static_cast<std::size_t>(bytes));
  request.finish();
  return true;
}

void Engine::drain(const ReceiveRequest* awaited)
{
  if (holds_) [[unlikely]] {
    collect();
    return settle();
  }
  if (!unexpected_.empty()) match_new_receives();
  while (Envelope* const envelope = mailbox_.front()) {
    if (awaited && awaited->complete() && posted_.empty() && !new_receives_.first()) return;
    if (ReceiveRequest* const request = receive_for(*envelope)) {
      if (!deliver_short(*request, *envelope)) [[unlikely]]
        deliver(*request, *envelope);
    } else {
      keep(*envelope);
    }
    mailbox_.pop(*envelope, envelope->cells());
  }
}

void Engine::match_new_receives()
{
  if (unexpected_.empty()) new_receives_.want_none();
  while (ReceiveRequest* const request = new_receives_.first()) {
    new_receives_.pop();
    if (unexpected_.empty() || !take_unexpected(*request)) posted_.add(*request);
  }
}

ReceiveRequest* Engine::take_posted(const Envelope& envelope) noexcept
{
  if (posted_.empty()) return nullptr;
  ReceiveRequest* const request = posted_.find(envelope);
  if (request) posted_.remove(*request);
  return request;
}

ReceiveRequest* Engine::find_receive_for(const Envelope& envelope)
{
  if (ReceiveRequest* const request = take_posted(envelope)) return request;
  do {
    while (ReceiveRequest* const request = new_receives_.first()) {
      new_receives_.pop();
      if (!unexpected_.empty() && take_unexpected(*request)) continue;
      if (request->matches(envelope)) return request;
      posted_.add(*request);
    }
  } while (new_receives_.want(wanted_for(envelope), current_rank() == &rank_));
  return nullptr;
}

void Engine::remove_unexpected(Unexpected& message) noexcept
{
  unexpected_.remove(message);
  if (unexpected_.empty()) new_receives_.want_none();
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
  remove_unexpected(*message);
  if (!deliver_short(request, message->envelope)) deliver(request, message->envelope);
  unexpected_.recycle(*message);
  return true;
}

bool Engine::opens_line() noexcept
{
  // With fewer cores than ranks others often keep messages for this one, and would pay for the line.
  if (arbitrated_ || rank_.job.wait_policy().spins == 0) return false;
  new_receives_.open();
  return true;
}

void Engine::post(ReceiveRequest& request)
{
  streams_to_.set(this);
  bool in_line = false;
  if (rank_.lone_gate.enter()) {
    in_line = post_in_line(request);
    rank_.lone_gate.leave();
  }
  if (!in_line)
    post_with_token(request);
  else if (new_receives_.is_wanted_at_once())
    match_line();
}

void Engine::match_line()
{
  try {
    const Hold hold = own_token();
    match_new_receives();
  } catch (const std::bad_alloc&) {
    // From the line it may be taken already: that its owner could not help to match it is no error.
  }
}

void Engine::post_with_token(ReceiveRequest& request)
{
  if (arbitrated_) [[unlikely]]
    arbitrate(request);
  const Hold hold = own_token();
  begun_.set(++receives_begun_);
  if (holds_) [[unlikely]] {
    collect();
    posted_.add(request);
    return settle();
  }
  match_new_receives();
  if (!unexpected_.empty() && take_unexpected(request)) return;
  // What is in the mailbox came before this receive and may match an earlier one. What comes behind its own
  // message stays there: the receives of that are mostly posted next, and then it moves once.
  while (Envelope* const envelope = mailbox_.front()) {
    ReceiveRequest* const earlier = take_posted(*envelope);
    const bool matches = !earlier && request.matches(*envelope);
    if (earlier || matches) {
      deliver(earlier ? *earlier : request, *envelope);
    } else {
      new_receives_.want(wanted_for(*envelope), true);
      keep(*envelope);
    }
    mailbox_.pop(*envelope, envelope->cells());
    if (matches) return;
  }
  posted_.add(request);
}

void Engine::read_next_parcel() noexcept
{
  const Envelope* const next = mailbox_.front_read();
  if (!next || next->carry != Carry::parcel) return;
  // Those that it surely has, as far as a core has room for what is under way.
  constexpr std::uint32_t least = 2, lines_of_cell = 16, most = 32;
  const std::uint32_t lines = std::min(least + (next->parcel_cells - 1) * lines_of_cell, most);
  const auto* const first = reinterpret_cast<const std::byte*>(next->parcel);
  for (std::uint32_t i = 0; i < lines; ++i) memmodel::Native::prefetch_to_read(first + 64 * i);
}

bool Engine::leave_shuttle(bool rests) noexcept
{
  if (!token_.try_acquire()) return false;
  const Hold hold(*this);
  if (!mailbox_.may_leave()) return false;
  mailbox_.leave();
  talk_.note_left(rests);
  return true;
}

void Engine::seek_shuttle(Engine& dest) noexcept
{
  if (arbitrated_ || rank_.concurrent() || dest.rank_.concurrent() || rank_.job.wait_policy().spins == 0 ||
      &dest == this || &dest.rank_.job != &rank_.job || !dest.talk_.wants_shuttle_with(*this))
    return;
  // Also where the other one is not free yet: else two would wait for each other to leave.
  if (mailbox_.has_shuttle() && !leave_shuttle(false)) return;
  mailbox_.invite(dest.mailbox_);
}

bool Engine::keeps_shuttle(Engine& dest) noexcept
{
  if (rank_.concurrent()) return false;  // made before it was
  talk_.settle(dest);
  if (!talk_.is_in_vain()) return true;
  // Who has been left for another one may come to terms with it again.
  if (leave_shuttle(!mailbox_.has_ended())) return false;
  talk_.forgive();
  return true;
}

void Engine::miss_shuttle(Engine& dest) noexcept
{
  if (!rank_.concurrent() && (talk_.is_settled() || keeps_shuttle(dest)))
    talk_.miss(mailbox_.sent_by_shuttle());
}

bool Engine::receive_next(void* buffer, Count room, const Datatype& type, const Communicator& comm,
                          int source, int tag, Status* status)
{
  streams_to_.set(nullptr);
  if (!type.is_contiguous() || !token_.try_acquire()) return false;
  const memmodel::TokenGuard guard = memmodel::TokenGuard<>::adopt(token_);
  begun_.set(++receives_begun_);
  if (new_receives_.first() || !posted_.empty() || !unexpected_.empty()) return false;
  // While the owner has a core of its own it keeps the token and looks: nobody needs to help it.
  const int spins = rank_.concurrent() ? 0 : rank_.job.wait_policy().spins;
  Envelope* envelope = mailbox_.front();
  for (int i = 0; !envelope; ++i) {
    if (i >= spins) return false;
    memmodel::Native::pause();
    envelope = mailbox_.front();
  }
  const Carry carry = envelope->carry;
  const std::uint32_t cells = envelope->cells();
  const bool offered = carry == Carry::direct && envelope->sender->offered_;
  // A request is needed where a sender waits for the whole of its matching, or the call is to be checked.
  if (carry == Carry::direct && !offered) return false;
  if (carry == Carry::parcel && envelope->parcel->sent_by) [[unlikely]]
    return false;
  // The hints are looked at only where the message does not fill the buffer.
  const Count bytes = carry == Carry::inside ? envelope->inside_bytes : envelope->bytes();
  const bool taken = envelope->context == comm.context() &&
                     (source == envelope->source || source == any_source) &&
                     (tag == envelope->tag || tag == any_tag) &&
                     (bytes == room || (bytes < room && !comm.hints.exact_length));
  if (!taken) return false;
  SendRequest* const sender = offered ? envelope->sender : nullptr;
  if (sender) {
    sender->pace_ = Offers::copy_at(sender->pace_, bytes, [&] {
      std::memcpy(buffer, sender->buffer_.address, static_cast<std::size_t>(bytes));
    });
  } else if (carry == Carry::parcel) {
    mailbox_.read_behind(cells);
    std::memcpy(buffer, envelope->parcel->data, static_cast<std::size_t>(bytes));
    envelope->parcel->free();
  } else if (carry == Carry::train) {
    copy_train(static_cast<std::byte*>(buffer), *envelope);
  } else {
    copy_inside(static_cast<std::byte*>(buffer), envelope->inside, static_cast<std::size_t>(bytes));
  }
  if (status) {
    status->source = envelope->source;
    status->tag = envelope->tag;
    status->cancelled = 0;
    status->bytes = bytes;
  }
  mailbox_.pop(*envelope, cells);
  if (sender)
    sender->finish();
  else if (carry == Carry::parcel)
    read_next_parcel();
  return true;
}

}  // namespace ranklet::p2p
