// The two queues of matching (MPI 5.0 §3.5): receives without a message and messages without a receive.
//
// Thread safety: all calls by the holder of the rank's token.
// Invariants:
//  1. No posted receive matches a queued message, unless an arbiter has yet to decide.
//  2. Among the posted receives that match a message the one posted first gets it; among the messages that
//  match a
//     receive the one that came first is taken. With the mailbox's order this is the non-overtaking rule.
// Costs: receives hang in bins by context, source and tag (MPI_ANY_TAG is one of the tags), so a look does
// not grow with their number; those from any source hang in a list of their own. Messages hang in bins by
// context and source, so a look is as long as one sender's backlog, and also in one list in order of arrival.
#pragma once

#include <array>
#include <cstdint>

#include "p2p/envelope.hpp"
#include "p2p/list.hpp"
#include "p2p/request.hpp"

namespace ranklet::p2p {

inline constexpr std::uint32_t bin_count = 64;

inline std::uint32_t bin_of(std::uint32_t context, std::int32_t source) noexcept
{
  return (context * 0x9E3779B1u + static_cast<std::uint32_t>(source)) % bin_count;
}

// Of a receive, whose tag may be MPI_ANY_TAG.
inline std::uint32_t bin_of(std::uint32_t context, std::int32_t source, std::int32_t tag) noexcept
{
  return (context * 0x9E3779B1u + static_cast<std::uint32_t>(source) +
          static_cast<std::uint32_t>(tag) * 13u) %
         bin_count;
}

class PostedQueue {
 public:
  bool empty() const noexcept { return size_ == 0; }
  // Never looks empty again: the short ways past the queue are closed.
  void seem_full() noexcept { ++size_; }
  // Those from any source, in their order.
  ReceiveRequest* first_from_any() const noexcept { return any_source_.first(); }
  static ReceiveRequest* next_from_any(const ReceiveRequest& request) noexcept { return Bin::next(request); }
  void add(ReceiveRequest& request) noexcept;
  void remove(ReceiveRequest& request) noexcept;
  // The receive that a message with this envelope goes to, or null; it stays in the queue.
  ReceiveRequest* find(const Envelope& envelope) const noexcept;

 private:
  using Bin = List<ReceiveRequest, &ReceiveRequest::link>;
  Bin& bin(const ReceiveRequest& request) noexcept;
  // The first receive from this source for exactly this tag, or for any.
  ReceiveRequest* first(std::uint32_t context, int source, int tag) const noexcept;

  std::array<Bin, bin_count> bins_;
  Bin any_source_;
  std::size_t any_tags_ = 0;  // receives in the bins for any tag
  std::uint64_t posted_ = 0;  // ever
  std::size_t size_ = 0;
};

// A message that came before its receive.
struct Unexpected {
  Envelope envelope;
  Link<Unexpected> in_bin;
  Link<Unexpected> in_order;
};

class UnexpectedQueue {
 public:
  ~UnexpectedQueue();
  bool empty() const noexcept { return arrivals_.empty(); }
  void add(const Envelope& envelope);
  Unexpected* first() const noexcept { return arrivals_.first(); }
  // The first message that a receive with these arguments takes, or null; it stays in the queue.
  Unexpected* find(std::uint32_t context, int source, int tag) const noexcept;
  // The message that this sender waits with, or null.
  Unexpected* find(const SendRequest& sender) const noexcept;
  // Takes the message out; the caller gives it back by recycle() when it is delivered.
  void remove(Unexpected& message) noexcept;
  void recycle(Unexpected& message) noexcept;
  // Calls f(message) in the order of arrival.
  template <class F>
  void for_each(F&& f) const
  {
    for (const Unexpected* message = arrivals_.first(); message; message = message->in_order.next)
      f(*message);
  }

 private:
  std::array<List<Unexpected, &Unexpected::in_bin>, bin_count> bins_;
  List<Unexpected, &Unexpected::in_order> arrivals_;
  Unexpected* free_ = nullptr;  // linked by in_order.next
};

}  // namespace ranklet::p2p
