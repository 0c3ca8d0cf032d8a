#include "p2p/matching.hpp"

#include <utility>

namespace ranklet::p2p {

namespace {

bool tag_matches(int wanted, int tag) noexcept
{
  return wanted == tag || wanted == any_tag;
}

}  // namespace

PostedQueue::Bin& PostedQueue::bin(const ReceiveRequest& request) noexcept
{
  return request.source_ == any_source ? any_source_ : bins_[bin_of(request.context_, request.source_)];
}

void PostedQueue::add(ReceiveRequest& request) noexcept
{
  request.order_ = posted_++;
  request.posted_ = true;
  bin(request).push_back(request);
  ++size_;
}

void PostedQueue::remove(ReceiveRequest& request) noexcept
{
  bin(request).remove(request);
  request.posted_ = false;
  --size_;
}

ReceiveRequest* PostedQueue::find(const Envelope& envelope) const noexcept
{
  ReceiveRequest* named = bins_[bin_of(envelope.context, envelope.source)].first();
  while (named && !(named->context_ == envelope.context && named->source_ == envelope.source &&
                    tag_matches(named->tag_, envelope.tag)))
    named = Bin::next(*named);
  ReceiveRequest* any = any_source_.first();
  while (any && !(any->context_ == envelope.context && tag_matches(any->tag_, envelope.tag)))
    any = Bin::next(*any);
  if (named && any) return named->order_ < any->order_ ? named : any;
  return named ? named : any;
}

UnexpectedQueue::~UnexpectedQueue()
{
  while (Unexpected* const message = arrivals_.first()) {
    if (message->envelope.carry == Carry::parcel) message->envelope.parcel->free();
    arrivals_.remove(*message);
    delete message;
  }
  while (free_) delete std::exchange(free_, free_->in_order.next);
}

void UnexpectedQueue::add(const Envelope& envelope)
{
  Unexpected* message = free_;
  if (message)
    free_ = message->in_order.next;
  else
    message = new Unexpected;
  message->envelope = envelope;
  bins_[bin_of(envelope.context, envelope.source)].push_back(*message);
  arrivals_.push_back(*message);
}

Unexpected* UnexpectedQueue::find(std::uint32_t context, int source, int tag) const noexcept
{
  if (source == any_source) {
    Unexpected* message = arrivals_.first();
    while (message && !(message->envelope.context == context && tag_matches(tag, message->envelope.tag)))
      message = message->in_order.next;
    return message;
  }
  Unexpected* message = bins_[bin_of(context, source)].first();
  while (message && !(message->envelope.context == context && message->envelope.source == source &&
                      tag_matches(tag, message->envelope.tag)))
    message = message->in_bin.next;
  return message;
}

Unexpected* UnexpectedQueue::find(const SendRequest& sender) const noexcept
{
  Unexpected* message = arrivals_.first();
  while (message && !(message->envelope.carry == Carry::direct && message->envelope.sender == &sender))
    message = message->in_order.next;
  return message;
}

void UnexpectedQueue::remove(Unexpected& message) noexcept
{
  bins_[bin_of(message.envelope.context, message.envelope.source)].remove(message);
  arrivals_.remove(message);
}

void UnexpectedQueue::recycle(Unexpected& message) noexcept
{
  message.in_order.next = free_;
  free_ = &message;
}

}  // namespace ranklet::p2p
