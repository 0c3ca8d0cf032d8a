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
  return request.source_ == any_source ? any_source_
                                       : bins_[bin_of(request.context_, request.source_, request.tag_)];
}

void PostedQueue::add(ReceiveRequest& request) noexcept
{
  request.order_ = posted_++;
  request.posted_ = true;
  bin(request).push_back(request);
  if (request.tag_ == any_tag && request.source_ != any_source) ++any_tags_;
  ++size_;
}

void PostedQueue::remove(ReceiveRequest& request) noexcept
{
  bin(request).remove(request);
  request.posted_ = false;
  if (request.tag_ == any_tag && request.source_ != any_source) --any_tags_;
  --size_;
}

ReceiveRequest* PostedQueue::first(std::uint32_t context, int source, int tag) const noexcept
{
  ReceiveRequest* request = bins_[bin_of(context, source, tag)].first();
  while (request && !(request->context_ == context && request->source_ == source && request->tag_ == tag))
    request = Bin::next(*request);
  return request;
}

ReceiveRequest* PostedQueue::find(const Envelope& envelope) const noexcept
{
  const auto earlier = [](ReceiveRequest* a, ReceiveRequest* b) {
    return a && (!b || a->order_ < b->order_) ? a : b;
  };
  ReceiveRequest* found = first(envelope.context, envelope.source, envelope.tag);
  if (any_tags_ > 0) found = earlier(found, first(envelope.context, envelope.source, any_tag));
  ReceiveRequest* any = any_source_.first();
  while (any && !(any->context_ == envelope.context && tag_matches(any->tag_, envelope.tag)))
    any = Bin::next(*any);
  return earlier(found, any);
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
