#include "p2p/engine.hpp"
#include "p2p/p2p_request.hpp"

namespace ranklet::p2p {

void ReceiveRequest::set_matched(void* buffer, Count count, const Datatype& type, std::uint32_t context)
{
  source_ = any_source;
  context_ = context;
  exact_ = false;
  buffer_.set(buffer, count, type);
}

void ReceiveRequest::start()
{
  if (choice_ != no_choice) [[unlikely]] {
    source_ = asked_source_;
    tag_ = asked_tag_;
  }
  if (begin()) owner_->p2p->post(*this);
}

void ReceiveRequest::start_awaited()
{
  if (begin()) owner_->p2p->post_awaited(*this);
}

void ReceiveRequest::start_with(Unexpected* message)
{
  if (!message) source_ = proc_null;
  if (begin()) owner_->p2p->deliver_taken(*this, *message);
}

bool ReceiveRequest::advance()
{
  if (complete()) return true;
  owner_->p2p->help_if_needed(this);
  return complete();
}

bool ReceiveRequest::ready_to_advance() const noexcept
{
  return owner_->p2p->has_mail();
}

ErrorClass ReceiveRequest::reap(Status* status)
{
  if (status) peek(status);
  const ErrorClass error = active_ ? error_ : ErrorClass::success;
  active_ = false;
  if (sent_by_) [[unlikely]] {
    owner_->job.options().checks->received(*owner_, *this, *sent_by_);
    sent_by_ = {};
  }
  return error;
}

void ReceiveRequest::peek(Status* status) const
{
  *status = active_ ? status_ : Status{};
}

void ReceiveRequest::cancel()
{
  if (!active_ || source_ == proc_null) return;
  const bool ruled = owner_->job.options().arbiter != nullptr;
  if (!(ruled ? owner_->p2p->withdraw_as_ruled(*this) : !complete() && owner_->p2p->withdraw(*this))) return;
  status_.cancelled = 1;
  finish();
}

void ReceiveRequest::forget() noexcept
{
  active_ = persistent_ = false;
  choice_ = no_choice;
  buffer_.let_go();
}

void ReceiveRequest::release()
{
  forget();
  owner_->p2p->recycle(*this);
}

bool ReceiveRequest::end_at_once(const Section& alone, Status* status)
{
  if (error_ != ErrorClass::success || sent_by_) return false;
  if (status) peek(status);
  forget();
  owner_->p2p->recycle(*this, alone);
  return true;
}

void ReceiveRequest::finish_call(Status* status)
{
  // In calls that return one status its error field is left alone (§3.2.5).
  Status result;
  const ErrorClass error = reap(&result);
  if (status) {
    result.error = status->error;
    *status = result;
  }
  if (error != ErrorClass::success) [[unlikely]]
    throw failure(error);
}

void ReceiveRequest::abandon() noexcept
{
  if (ends_at_rest(*owner_)) return;
  if (!active_ || complete() || owner_->p2p->withdraw(*this)) return;
  while (!complete()) owner_->parking.park([&] { return complete(); }, longest_look);
}

}  // namespace ranklet::p2p
