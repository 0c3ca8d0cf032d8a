// The two queues of matching (MPI 5.0 §3.5): receives without a message and messages without a receive.
//
// Thread safety: all calls by the holder of the rank's token.
// Invariants:
//  1. No posted receive matches a queued message, unless an arbiter has yet to decide.
//  2. Among the posted receives that match a message the one posted first gets it; among the messages that
//     match a receive the one that came first is taken. With the mailbox's order this is the non-overtaking
//     rule.
// Costs: a look takes as long whatever the number of receives, messages, tags and sources is. Everything
// hangs in a bin by context, source and tag, where MPI_ANY_SOURCE and MPI_ANY_TAG count as values, and there
// are about as many bins as things. A message looks for receives that name it in each of the four ways, as
// far as such are posted. A receive looks at the few oldest messages and, where there are more, in one bin;
// from then on a message hangs in four.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "memmodel/memmodel.hpp"
#include "p2p/envelope.hpp"
#include "p2p/list.hpp"
#include "p2p/p2p_request.hpp"

namespace ranklet::p2p {

// A number of bins that is a power of two.
template <class Bin>
class Bins {
 public:
  // Throws bad_alloc. count >= 2.
  explicit Bins(std::size_t count)
      : bins_(new Bin[count]), count_(count), shift_(64 - std::countr_zero(count))
  {
  }

  std::size_t count() const noexcept { return count_; }
  Bin& at(std::size_t index) const noexcept { return bins_[index]; }
  Bin& of(std::uint32_t context, std::int32_t source, std::int32_t tag) const noexcept
  {
    return with(mix(context, source, tag));
  }
  // Where what has this mix hangs.
  Bin& with(std::uint64_t mix) const noexcept { return bins_[mix >> shift_]; }
  static std::uint64_t mix(std::uint32_t context, std::int32_t source, std::int32_t tag) noexcept
  {
    // A product with an odd number for each part, and again of their sum, whose upper bits depend on all of
    // them: tags that lie evenly apart must not meet.
    std::uint64_t mix = context * 0x9E3779B97F4A7C15u +
                        static_cast<std::uint32_t>(source) * 0xC2B2AE3D27D4EB4Fu +
                        static_cast<std::uint32_t>(tag) * 0x165667B19E3779F9u;
    return (mix ^ mix >> 29) * 0x9E3779B97F4A7C15u;
  }

 private:
  std::unique_ptr<Bin[]> bins_;
  std::size_t count_;
  int shift_;
};

// What may be in a bin on average, and the bins that are kept when nothing is left in them.
inline constexpr std::size_t bin_load = 2;
inline constexpr std::size_t first_bins = 64;
inline constexpr std::size_t most_idle_bins = 1 << 14;

class PostedQueue {
 public:
  bool empty() const noexcept { return size_ == 0; }
  // Never looks empty again: the short ways past the queue are closed.
  void seem_full() noexcept { ++size_; }
  // Those from any source, in their order.
  ReceiveRequest* first_from_any() const noexcept { return from_any_.first(); }
  static ReceiveRequest* next_from_any(const ReceiveRequest& request) noexcept
  {
    return FromAny::next(request);
  }
  void add(ReceiveRequest& request) noexcept;
  void remove(ReceiveRequest& request) noexcept;
  // The receive that a message with this envelope goes to, or null; it stays in the queue.
  ReceiveRequest* find(const Envelope& envelope) const noexcept;

  // Whether bins, lists and counts tell of the same receives, as long as it does not only seem full. Takes
  // time in proportion to them; for tests.
  bool is_valid() const noexcept;

  // How many receives were compared so far, for tests.
  std::uint64_t comparisons() const noexcept { return comparisons_; }

 private:
  using Bin = List<ReceiveRequest, &ReceiveRequest::link>;
  using FromAny = List<ReceiveRequest, &ReceiveRequest::from_any_link>;

  Bin& bin(const ReceiveRequest& request) noexcept;
  void count(const ReceiveRequest& request, std::ptrdiff_t change) noexcept;
  void resize(std::size_t bins) noexcept;
  // The first receive that names exactly this, wildcards included.
  ReceiveRequest* first(std::uint32_t context, int source, int tag) const noexcept;

  Bins<Bin> bins_{first_bins};
  FromAny from_any_;
  // Receives with wildcards: for any tag of a source, for a tag from any source, for anything.
  std::ptrdiff_t any_tag_ = 0, any_source_ = 0, anything_ = 0;
  std::uint64_t posted_ = 0;  // ever
  std::size_t size_ = 0;
  mutable std::uint64_t comparisons_ = 0;
};

// A message that came before its receive.
struct Unexpected {
  Envelope envelope;
  Link<Unexpected> in_order;
  // In bins, for receives that name both source and tag, or only one of them, or neither.
  Link<Unexpected> for_both, for_source, for_tag, for_none;
};

class UnexpectedQueue {
 public:
  // limit: bytes, see is_full().
  explicit UnexpectedQueue(std::size_t limit) noexcept : limit_(limit) { note_fill(Fill::little); }
  ~UnexpectedQueue();
  // Any thread, a hint: the messages take more memory than the limit, and have not come down to half of it
  // since. Then senders keep theirs (MPI 5.0 §3.5: a send without a receive cannot count on room).
  bool is_full() const noexcept { return fill_.get() == Fill::full; }
  // The same: more than stays in a core's caches, and has not come down to little since. Then a sender waits
  // for a receiver that receives, however slowly, rather than keep more for it.
  bool is_long() const noexcept { return fill_.get() != Fill::little; }
  bool empty() const noexcept { return arrivals_.empty(); }
  void add(const Envelope& envelope)
  {
    Unexpected* message = free_;
    if (message) [[likely]] {
      free_ = message->in_order.next;
      --free_count_;
    } else {
      message = new Unexpected;
    }
    message->envelope = envelope;
    arrivals_.push_back(*message);
    ++size_;
    note_memory(memory_ + memory_of(*message));
    if (in_bins_) [[unlikely]]
      hang_new(*message);
  }
  Unexpected* first() const noexcept { return arrivals_.first(); }
  // The first message that a receive with these arguments takes, or null; it stays in the queue.
  Unexpected* find(std::uint32_t context, int source, int tag) noexcept
  {
    Unexpected* const oldest = arrivals_.first();
    if (!oldest || matches(*oldest, context, source, tag)) return oldest;
    return find_later(context, source, tag);
  }
  // The message that this sender waits with, or null; looks at the newest first.
  Unexpected* find(const SendRequest& sender) const noexcept;
  // The message's data lies in a parcel from now on, no more in the send buffer.
  void put_into(Parcel& parcel, Unexpected& message) noexcept;
  // Takes the message out; the caller gives it back by recycle() when it is delivered.
  void remove(Unexpected& message) noexcept
  {
    arrivals_.remove(message);
    --size_;
    note_memory(memory_ - memory_of(message));
    if (in_bins_) [[unlikely]]
      take_down(message);
  }
  void recycle(Unexpected& message) noexcept;
  // Calls f(message) in the order of arrival.
  template <class F>
  void for_each(F&& f) const
  {
    for (const Unexpected* message = arrivals_.first(); message; message = message->in_order.next)
      f(*message);
  }

  // Whether bins, list and counts tell of the same messages. Takes time in proportion to them; for tests.
  bool is_valid() const noexcept;

  // How many messages were compared so far, for tests.
  std::uint64_t comparisons() const noexcept { return comparisons_; }

 private:
  struct Bin {
    List<Unexpected, &Unexpected::for_both> both;
    List<Unexpected, &Unexpected::for_source> source;
    List<Unexpected, &Unexpected::for_tag> tag;
    List<Unexpected, &Unexpected::for_none> none;
  };
  enum class Fill : std::uint8_t { little, much, full };
  static constexpr std::size_t much = 256 * 1024, little = much / 8;

  // So many are looked at one by one.
  static constexpr std::size_t few = 16;
  static constexpr std::size_t most_free = 1 << 12;

  // Of what is kept for it.
  static std::size_t memory_of(const Unexpected& message) noexcept
  {
    const Envelope& envelope = message.envelope;
    return sizeof message +
           (envelope.carry == Carry::parcel ? static_cast<std::size_t>(envelope.parcel->bytes) : 0);
  }
  void note_memory(std::size_t now) noexcept
  {
    memory_ = now;
    if (memory_ > most_ || memory_ < least_) [[unlikely]]
      note_memory_beyond();
  }
  void note_memory_beyond() noexcept;
  void note_fill(Fill now) noexcept;
  bool matches(const Unexpected& message, std::uint32_t context, int source, int tag) const noexcept
  {
    ++comparisons_;
    const Envelope& envelope = message.envelope;
    return envelope.context == context && (source == envelope.source || source == any_source) &&
           (tag == envelope.tag || tag == any_tag);
  }
  // find() where the oldest does not match.
  Unexpected* find_later(std::uint32_t context, int source, int tag) noexcept;
  template <auto list>
  Unexpected* first_in(std::uint32_t context, int source, int tag) const noexcept;
  void hang(Unexpected& message) noexcept;
  void hang_new(Unexpected& message) noexcept;
  void take_down(Unexpected& message) noexcept;
  void resize(std::size_t bins) noexcept;

  List<Unexpected, &Unexpected::in_order> arrivals_;
  std::unique_ptr<Bins<Bin>> bins_;
  bool in_bins_ = false;  // the messages hang in bins: since a look went past many, until there are none
  std::size_t size_ = 0;
  Unexpected* free_ = nullptr;  // linked by in_order.next
  std::size_t free_count_ = 0;
  const std::size_t limit_;
  std::size_t memory_ = 0;
  std::size_t least_ = 0, most_ = 0;  // of it, for fill_ as it is
  mutable std::uint64_t comparisons_ = 0;
  alignas(64) memmodel::Latest<Fill> fill_;  // read by every sender, and rarely changed
};

}  // namespace ranklet::p2p
