#include "p2p/p2p_request.hpp"

#include <utility>

#include "p2p/eager.hpp"
#include "p2p/engine.hpp"
#include "terms/call_note.hpp"

namespace ranklet::p2p {

namespace {

// How long a sender leaves a message to its receiver: a large one, and one that it may copy out.
constexpr std::chrono::microseconds patience(5);
constexpr std::chrono::microseconds patience_with_offer(2);

}  // namespace

void SendRequest::set(Mode mode, const void* buffer, Count count, const Datatype& type, int dest, int tag,
                      Communicator& comm)
{
  mode_ = mode;
  tag_ = tag;
  source_ = comm.rank();
  context_ = comm.context();
  dest_ = dest == proc_null ? nullptr : &comm.peer(dest);
  buffer_ = {buffer, count, Ref<const Datatype>(type)};
  if (mode == Mode::buffered) comm_ = CommRef(comm);
}

void SendRequest::start()
{
  start(Room::as_there_is);
}

void SendRequest::start_copied()
{
  start(Room::always);
}

void SendRequest::start(Room room)
{
  done_.reset();
  cancelled_ = offered_ = false;
  pace_ = Offers::Pace::not_measured;
  // What fails here leaves the request inactive.
  const bool here = !dest_ || copy_out(room);
  active_ = true;
  if (here) {
    done_.set();
    return;
  }
  hand_over();
}

void SendRequest::start_offered()
{
  done_.reset();
  cancelled_ = false;  // it may be one that was used before
  active_ = offered_ = true;
  hand_over();
}

void SendRequest::hand_over()
{
  copy_.reset();
  site_ = current_call_site();
  pace_ = Offers::Pace::not_measured;
  parcel_.reset();
  if (offered_)
    pace_ = owner_->p2p->offers.pace(*dest_, buffer_.address, buffer_.bytes());
  else if (owner_->p2p->may_fill_parcel(*dest_, buffer_.bytes(), *buffer_.type))
    fill_parcel();
  dest_->p2p->push([this](Envelope& envelope) {
    envelope.context = context_;
    envelope.tag = tag_;
    envelope.source = source_;
    envelope.carry = Carry::direct;
    envelope.sender = this;
  });
  owner_->p2p->note_beside_shuttle(*dest_->p2p);
  // With a core of its own the receiver is mostly about to look itself. Behind the push, as the clock takes
  // its time.
  if (owner_->job.wait_policy().spins > 0)
    help_from_ = std::chrono::steady_clock::now() + (offered_ ? patience_with_offer : patience);
}

void SendRequest::fill_parcel() noexcept
{
  Offers& waiting = owner_->p2p->waiting;
  if (!waiting.needs_parcel(*dest_)) {
    pace_ = waiting.pace(*dest_, buffer_.address, buffer_.bytes());
    return;
  }
  const Count bytes = buffer_.bytes();
  parcel_.reset(Parcel::find(bytes, dest_->p2p));
  if (parcel_) pack(buffer_.address, buffer_.count, *buffer_.type, 0, parcel_->data, bytes);
}

bool SendRequest::copy_out(Room room)
{
  Engine& dest = *dest_->p2p;
  const Count bytes = buffer_.bytes();
  const bool has_room = room == Room::always || !dest.is_full();
  if (eager(owner_->job, mode_, bytes)) {
    if (!has_room) return false;
    offered_ = owner_->p2p->offers_first(*dest_, bytes, *buffer_.type);
    if (offered_) return false;
    send_eagerly(dest, context_, source_, tag_, buffer_.address, buffer_.count, *buffer_.type);
    return true;
  }
  const CheckHooks* const checks = owner_->job.options().checks;
  if (checks) sent_by_ = checks->sending(*owner_, *this);
  const bool small = checks && mode_ != Mode::synchronous &&
                     bytes <= static_cast<Count>(owner_->job.options().eager_limit) && has_room;
  if (mode_ != Mode::buffered && !small) return false;
  send_parcel(dest, context_, source_, tag_, mode_ == Mode::buffered ? charge_buffer(*comm_, bytes) : nullptr,
              buffer_.address, buffer_.count, *buffer_.type, sent_by_.get());
  return true;
}

bool SendRequest::advance()
{
  if (complete()) return true;
  copy_.join();
  // The receiver may have posted its receive and never enter MPI again (MPI 5.0 §2.9): we match and copy for
  // it. But not at once: while it is in MPI itself, two of us copy faster than one.
  if (help_from_ == TimePoint() || std::chrono::steady_clock::now() >= help_from_) {
    help_from_ = TimePoint();
    if (offered_)
      copy_out_late();
    else
      dest_->p2p->help_if_needed();
  }
  owner_->p2p->help_if_needed();
  return complete();
}

bool SendRequest::copy_out_late()
{
  if (!dest_->p2p->copy_out(*this)) return false;
  offered_ = false;
  pace_ = Offers::Pace::not_measured;
  owner_->p2p->offers.note_late(*dest_);
  return true;
}

void SendRequest::copy_out_now() noexcept
{
  try {
    for (int i = 0; i < 1000 && offered_ && !complete() && !copy_out_late(); ++i) memmodel::Native::yield();
  } catch (...) {
    // There was no memory for what came before; it goes on as a request that is let go.
  }
}

bool SendRequest::ready_to_advance() const noexcept
{
  return offered_ || dest_->p2p->has_mail() || owner_->p2p->has_mail();
}

ErrorClass SendRequest::reap(Status* status)
{
  if (status) peek(status);
  if (const auto pace = std::exchange(pace_, Offers::Pace::not_measured); pace != Offers::Pace::not_measured)
    (offered_ ? owner_->p2p->offers : owner_->p2p->waiting).note_taken(*dest_, pace);
  active_ = offered_ = false;
  return ErrorClass::success;
}

void SendRequest::peek(Status* status) const
{
  *status = Status{};  // §3.7.3
  status->cancelled = active_ && cancelled_;
}

void SendRequest::cancel()
{
  // What was copied out is sent (§3.8.4 lets the cancellation fail).
  if (!active_ || !dest_) return;
  const bool ruled = owner_->job.options().arbiter != nullptr;
  if (ruled ? owner_->p2p->withdraw_as_ruled(*this) : !complete() && dest_->p2p->withdraw(*this)) {
    cancelled_ = true;
    finish();
  }
}

void SendRequest::release()
{
  give_back();
}

void SendRequest::give_back() noexcept
{
  active_ = persistent_ = false;
  if (comm_) comm_ = {};
  buffer_.let_go();
  if (sent_by_) [[unlikely]]
    sent_by_ = {};
  parcel_.reset();
  owner_->p2p->recycle(*this);
}

void SendRequest::abandon() noexcept
{
  if (ends_at_rest(*owner_)) return;
  if (!active_ || complete() || dest_->p2p->withdraw(*this)) return;
  // Matched: the thread that delivers it is copying from our buffer.
  while (!complete()) {
    copy_.join();
    owner_->parking.park([&] { return complete(); }, longest_look);
  }
}

}  // namespace ranklet::p2p
