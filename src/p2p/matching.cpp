#include "p2p/matching.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <tuple>
#include <utility>

namespace ranklet::p2p {

PostedQueue::Bin& PostedQueue::bin(const ReceiveRequest& request) noexcept
{
  return bins_.with(request.bin_);
}

void PostedQueue::count(const ReceiveRequest& request, std::ptrdiff_t change) noexcept
{
  size_ += static_cast<std::size_t>(change);
  if (request.source_ == any_source)
    (request.tag_ == any_tag ? anything_ : any_source_) += change;
  else if (request.tag_ == any_tag)
    any_tag_ += change;
}

void PostedQueue::add(ReceiveRequest& request) noexcept
{
  if (size_ >= bin_load * bins_.count()) [[unlikely]]
    resize(2 * bins_.count());
  request.order_ = posted_++;
  request.posted_ = true;
  request.bin_ = Bins<Bin>::mix(request.context_, request.source_, request.tag_);
  bin(request).push_back(request);
  if (request.source_ == any_source) from_any_.push_back(request);
  count(request, 1);
}

void PostedQueue::remove(ReceiveRequest& request) noexcept
{
  bin(request).remove(request);
  if (request.source_ == any_source) from_any_.remove(request);
  request.posted_ = false;
  count(request, -1);
  if (size_ == 0 && bins_.count() > most_idle_bins) [[unlikely]]
    resize(first_bins);
}

// Without memory for other bins the present ones do.
void PostedQueue::resize(std::size_t bins) noexcept
{
  try {
    const Bins<Bin> before = std::exchange(bins_, Bins<Bin>(bins));
    // Receives that name the same come from one bin and keep their order.
    for (std::size_t i = 0; i < before.count(); ++i) {
      while (ReceiveRequest* const request = before.at(i).first()) {
        before.at(i).remove(*request);
        bin(*request).push_back(*request);
      }
    }
  } catch (const std::bad_alloc&) {
  }
}

ReceiveRequest* PostedQueue::first(std::uint32_t context, int source, int tag) const noexcept
{
  ReceiveRequest* request = bins_.of(context, source, tag).first();
  while (request && (++comparisons_,
                     !(request->context_ == context && request->source_ == source && request->tag_ == tag)))
    request = Bin::next(*request);
  return request;
}

ReceiveRequest* PostedQueue::find(const Envelope& envelope) const noexcept
{
  ReceiveRequest* found = first(envelope.context, envelope.source, envelope.tag);
  const auto look_also = [&](std::ptrdiff_t posted, int named_source, int named_tag) {
    if (posted == 0) return;
    ReceiveRequest* const other = first(envelope.context, named_source, named_tag);
    if (other && (!found || other->order_ < found->order_)) found = other;
  };
  look_also(any_tag_, envelope.source, any_tag);
  look_also(any_source_, any_source, envelope.tag);
  look_also(anything_, any_source, any_tag);
  return found;
}

bool PostedQueue::is_valid() const noexcept
{
  std::size_t all = 0, from_any = 0;
  std::ptrdiff_t any_tag_now = 0, any_source_now = 0, anything_now = 0;
  for (std::size_t i = 0; i < bins_.count(); ++i) {
    const ReceiveRequest* before = nullptr;
    for (const ReceiveRequest* request = bins_.at(i).first(); request; request = Bin::next(*request), ++all) {
      if (!request->posted_ || &bins_.with(request->bin_) != &bins_.at(i)) return false;
      if (before && before->order_ >= request->order_) return false;
      before = request;
      const bool any = request->tag_ == any_tag;
      if (request->source_ == any_source)
        ++(any ? anything_now : any_source_now);
      else if (any)
        ++any_tag_now;
    }
  }
  for (const ReceiveRequest* request = from_any_.first(); request; request = FromAny::next(*request))
    ++from_any;
  return all == size_ && any_tag_now == any_tag_ && any_source_now == any_source_ &&
         anything_now == anything_ && from_any == static_cast<std::size_t>(any_source_ + anything_);
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

void UnexpectedQueue::note_memory_beyond() noexcept
{
  // Rarely changes, as senders look at it: not at each message around a limit.
  if (memory_ > limit_)
    note_fill(Fill::full);
  else if (memory_ > most_)
    note_fill(Fill::much);
  else
    note_fill(memory_ < little ? Fill::little : Fill::much);
}

void UnexpectedQueue::note_fill(Fill now) noexcept
{
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  least_ = now == Fill::little ? 0 : now == Fill::much ? little : limit_ / 2 + 1;
  most_ = now == Fill::little ? std::min(much, limit_) : now == Fill::much ? limit_ : any;
  fill_.set(now);
}

void UnexpectedQueue::put_into(Parcel& parcel, Unexpected& message) noexcept
{
  message.envelope.carry = Carry::parcel;
  message.envelope.parcel = &parcel;
  note_memory(memory_ + static_cast<std::size_t>(parcel.bytes));
}

void UnexpectedQueue::hang(Unexpected& message) noexcept
{
  const auto [context, source, tag] =
      std::tuple(message.envelope.context, message.envelope.source, message.envelope.tag);
  bins_->of(context, source, tag).both.push_back(message);
  bins_->of(context, source, any_tag).source.push_back(message);
  bins_->of(context, any_source, tag).tag.push_back(message);
  bins_->of(context, any_source, any_tag).none.push_back(message);
}

void UnexpectedQueue::hang_new(Unexpected& message) noexcept
{
  hang(message);
  if (size_ > bin_load * bins_->count()) [[unlikely]]
    resize(2 * bins_->count());
}

// Hangs all messages in that many bins, in their order. Without memory for them the present ones do, or the
// messages are looked at one by one.
void UnexpectedQueue::resize(std::size_t bins) noexcept
{
  try {
    if (!bins_ || bins_->count() != bins) bins_ = std::make_unique<Bins<Bin>>(bins);
    in_bins_ = true;
    for (Unexpected* message = arrivals_.first(); message; message = message->in_order.next) hang(*message);
  } catch (const std::bad_alloc&) {
  }
}

template <auto list>
Unexpected* UnexpectedQueue::first_in(std::uint32_t context, int source, int tag) const noexcept
{
  const auto& bin = bins_->of(context, source, tag).*list;
  Unexpected* message = bin.first();
  while (message && !matches(*message, context, source, tag)) message = bin.next(*message);
  return message;
}

Unexpected* UnexpectedQueue::find_later(std::uint32_t context, int source, int tag) noexcept
{
  Unexpected* message = in_bins_ ? nullptr : arrivals_.first()->in_order.next;
  for (std::size_t looks = 1; message; ++looks, message = message->in_order.next) {
    if (matches(*message, context, source, tag)) return message;
    if (looks == few) [[unlikely]] {
      resize(std::max(first_bins, std::bit_ceil(size_ / bin_load)));
      if (in_bins_) break;
    }
  }
  if (!in_bins_) return nullptr;
  if (source != any_source)
    return tag != any_tag ? first_in<&Bin::both>(context, source, tag)
                          : first_in<&Bin::source>(context, source, tag);
  return tag != any_tag ? first_in<&Bin::tag>(context, source, tag)
                        : first_in<&Bin::none>(context, source, tag);
}

Unexpected* UnexpectedQueue::find(const SendRequest& sender) const noexcept
{
  Unexpected* message = arrivals_.last();
  while (message && !(message->envelope.carry == Carry::direct && message->envelope.sender == &sender))
    message = arrivals_.previous(*message);
  return message;
}

void UnexpectedQueue::take_down(Unexpected& message) noexcept
{
  const auto [context, source, tag] =
      std::tuple(message.envelope.context, message.envelope.source, message.envelope.tag);
  bins_->of(context, source, tag).both.remove(message);
  bins_->of(context, source, any_tag).source.remove(message);
  bins_->of(context, any_source, tag).tag.remove(message);
  bins_->of(context, any_source, any_tag).none.remove(message);
  if (size_ > 0) return;
  in_bins_ = false;
  if (bins_->count() > most_idle_bins) bins_ = nullptr;
}

bool UnexpectedQueue::is_valid() const noexcept
{
  std::size_t all = 0, memory = 0;
  for (const Unexpected* message = arrivals_.first(); message; message = message->in_order.next, ++all)
    memory += memory_of(*message);
  if (all != size_ || memory != memory_) return false;
  if (!in_bins_) return true;
  std::size_t both = 0, source = 0, tag = 0, none = 0;
  const auto count = [](const auto& list) {
    std::size_t n = 0;
    for (const Unexpected* message = list.first(); message; message = list.next(*message)) ++n;
    return n;
  };
  for (std::size_t i = 0; i < bins_->count(); ++i) {
    both += count(bins_->at(i).both);
    source += count(bins_->at(i).source);
    tag += count(bins_->at(i).tag);
    none += count(bins_->at(i).none);
  }
  return both == all && source == all && tag == all && none == all;
}

void UnexpectedQueue::recycle(Unexpected& message) noexcept
{
  if (free_count_ == most_free) {
    delete &message;
    return;
  }
  message.in_order.next = free_;
  free_ = &message;
  ++free_count_;
}

}  // namespace ranklet::p2p
