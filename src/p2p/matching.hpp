// The two queues of matching (MPI 5.0 §3.5): receives without a message and messages without a receive.
//
// Thread safety: all calls by the holder of the rank's token.
// Invariants:
//  1. No posted receive matches a queued message.
//  2. Among the posted receives that match a message the one posted first gets it; among the messages that
//  match a
//     receive the one that came first is taken. With the mailbox's order this is the non-overtaking rule.
// Costs: receives and messages hang in bins by context and source, so a look is as long as one sender's
// backlog; receives from any source hang in a list of their own, messages also in one list in order of
// arrival.
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

class PostedQueue {
 public:
  bool empty() const noexcept { return size_ == 0; }
  void add(ReceiveRequest& request) noexcept;
  void remove(ReceiveRequest& request) noexcept;
  // The receive that a message with this envelope goes to, or null; it stays in the queue.
  ReceiveRequest* find(const Envelope& envelope) const noexcept;

 private:
  using Bin = List<ReceiveRequest, &ReceiveRequest::link>;
  Bin& bin(const ReceiveRequest& request) noexcept;

  std::array<Bin, bin_count> bins_;
  Bin any_source_;
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
  // The first message that a receive with these arguments takes, or null; it stays in the queue.
  Unexpected* find(std::uint32_t context, int source, int tag) const noexcept;
  // The message that this sender waits with, or null.
  Unexpected* find(const SendRequest& sender) const noexcept;
  // Takes the message out; the caller gives it back by recycle() when it is delivered.
  void remove(Unexpected& message) noexcept;
  void recycle(Unexpected& message) noexcept;

 private:
  std::array<List<Unexpected, &Unexpected::in_bin>, bin_count> bins_;
  List<Unexpected, &Unexpected::in_order> arrivals_;
  Unexpected* free_ = nullptr;  // linked by in_order.next
};

}  // namespace ranklet::p2p
