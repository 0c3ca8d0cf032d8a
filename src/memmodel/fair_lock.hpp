// A reader-writer lock that serves in the order of arrival: the lock of a window's target.
//
// Thread safety: any thread. Use: draw a ticket, wait by the waiting policy until it has its turn, and leave
// when done. Exclusive: draw, has_turn, leave; or try_lock, leave. Shared: draw_shared, has_shared_turn,
// leave_shared; or try_lock_shared, leave_shared. Invariants:
//  1. Both words count tickets, those that were drawn and those that have left: each exclusive one adds the
//     same to both, each shared one something else. A ticket is the word as it was drawn from.
//  2. An exclusive ticket has its turn when all before it have left, a shared one when all exclusive ones
//     before it have: those drawn between two exclusive ones are in together.
//  3. While an exclusive ticket has its turn nobody else changes the count of those that have left.
//  4. Who leaves lets in, if anybody, tickets of the number that leaving returns.
//  5. All that an exclusive holder did is visible to every later holder; what a shared one did, to every
//     later exclusive one. Nothing is promised between shared holders.
// Cost without contention: one read-modify-write and one store for exclusive, two read-modify-writes for
// shared.
#pragma once

#include <cstdint>

#include "memmodel/native.hpp"

namespace ranklet::memmodel {

template <class Sys = Native>
class alignas(64) FairLock {
 public:
  using Ticket = std::uint64_t;
  // How many exclusive tickets were drawn before it, from some number on. Thereby those who wait can sleep
  // apart from each other.
  static std::uint32_t number(Ticket ticket) noexcept { return static_cast<std::uint32_t>(ticket); }

  // Tests begin at other tickets than 0 to reach their wrap.
  explicit FairLock(Ticket first = 0) noexcept : drawn_(first), left_(first) {}

  // relaxed, both: a ticket is a number; the turn brings the edge.
  Ticket draw() noexcept { return drawn_.fetch_add(exclusive, std::memory_order_relaxed); }
  Ticket draw_shared() noexcept { return drawn_.fetch_add(shared, std::memory_order_relaxed); }

  // acquire, here and below, pairs with the release in leave(), and in leave_shared() for exclusive tickets:
  // every change in between is a read-modify-write, so it belongs to the release sequences of those before.
  bool has_turn(Ticket ticket) const noexcept { return left_.load(std::memory_order_acquire) == ticket; }
  bool has_shared_turn(Ticket ticket) const noexcept
  {
    return number(left_.load(std::memory_order_acquire)) == number(ticket);
  }

  // Takes the lock exclusively if nobody has it or waits for it; else nothing has changed.
  bool try_lock(Ticket& ticket) noexcept
  {
    ticket = left_.load(std::memory_order_acquire);
    // With no ticket out but those that have left, the next one has its turn as soon as it is drawn. relaxed:
    // as in draw().
    Ticket drawn = ticket;
    return drawn_.compare_exchange_strong(drawn, ticket + exclusive, std::memory_order_relaxed,
                                          std::memory_order_relaxed);
  }

  // Takes the lock shared if nobody has it exclusively or waits for it, and no other shared ticket is drawn
  // just now; else nothing has changed.
  bool try_lock_shared() noexcept
  {
    // As in has_shared_turn(). Before the look at those drawn: as many exclusive ones as were drawn then had
    // left already.
    const Ticket left = left_.load(std::memory_order_acquire);
    // relaxed, and in the exchange: as in draw().
    Ticket drawn = drawn_.load(std::memory_order_relaxed);
    return number(drawn) == number(left) &&
           drawn_.compare_exchange_strong(drawn, drawn + shared, std::memory_order_relaxed,
                                          std::memory_order_relaxed);
  }

  // A plain store: invariant 3.
  std::uint32_t leave(Ticket ticket) noexcept
  {
    // has_turn() has seen this value, and nobody else changes it: invariant 3.
    invariant_on<Sys>([&] { return left_.load(std::memory_order_relaxed) == ticket; },
                      "an exclusive ticket leaves while it has its turn (2)");
    left_.store(ticket + exclusive, std::memory_order_release);
    return number(ticket + exclusive);
  }

  // While a shared ticket is in, no exclusive one leaves: the number is also that of who waits for this one.
  std::uint32_t leave_shared() noexcept
  {
    expect_to_be_in();
    // release pairs with the acquire in has_turn() and try_lock().
    return number(left_.fetch_add(shared, std::memory_order_release));
  }
  // The same behind a seq_cst fence of the caller's, for what it has done; the two take one instruction where
  // every read-modify-write is such a fence.
  std::uint32_t fence_and_leave_shared() noexcept
  {
    expect_to_be_in();
    return number(Sys::fence_and_add(left_, shared));
  }

 private:
  void expect_to_be_in() const noexcept
  {
    // acquire: the draws of those who are seen to have left are seen, too, so the caller's own is one more.
    invariant_on<Sys>(
        [&] {
          const Ticket left = left_.load(std::memory_order_acquire);
          return left != drawn_.load(std::memory_order_relaxed);
        },
        "who leaves a lock has drawn a ticket (1)");
  }

  // The lower half counts exclusive tickets, the upper one all. What is carried over when the lower half
  // wraps is so in both words.
  static constexpr Ticket shared = Ticket{1} << 32;
  static constexpr Ticket exclusive = shared + 1;

  typename Sys::template atomic<Ticket> drawn_;
  typename Sys::template atomic<Ticket> left_;
};

}  // namespace ranklet::memmodel
