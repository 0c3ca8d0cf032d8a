// A reader-writer lock that serves in the order of arrival: the lock of a window's target.
//
// Thread safety: any thread. Use: draw() a ticket, wait by the waiting policy until it has its turn, and
// leave when done. Exclusive: draw, has_turn, leave; or try_lock, leave. Shared: draw, has_shared_turn,
// enter_shared, leave_shared; or try_lock_shared, leave_shared. Invariants:
//  1. Tickets are served in their order; consecutive shared ones together.
//  2. served.left counts the tickets that have left, served.passed those that let the next shared one in: a
//     shared ticket as soon as it has entered, an exclusive one when it leaves. left <= passed <= drawn.
//  3. While an exclusive ticket t has its turn, left == passed == t, and only its holder changes them.
//  4. All that an exclusive holder did is visible to every later holder; what a shared one did, to every
//     later exclusive one. Nothing is promised between shared holders.
// Cost without contention: one read-modify-write and one store for exclusive, three read-modify-writes for
// shared.
#pragma once

#include <cstdint>

#include "memmodel/native.hpp"

namespace ranklet::memmodel {

template <class Sys = Native>
class alignas(64) FairLock {
 public:
  using Ticket = std::uint32_t;

  // Tests begin at other tickets than 0 to reach their wrap.
  explicit FairLock(Ticket first = 0) noexcept : drawn_(first), served_(both(first, first)) {}

  // relaxed: a ticket is a number; the turn brings the edge.
  Ticket draw() noexcept { return drawn_.fetch_add(1, std::memory_order_relaxed); }

  // acquire, here and below, pairs with the release in leave(), and in leave_shared() for exclusive tickets:
  // every change in between is a read-modify-write, so it belongs to the release sequences of those before.
  bool has_turn(Ticket ticket) const noexcept
  {
    return left(served_.load(std::memory_order_acquire)) == ticket;
  }
  bool has_shared_turn(Ticket ticket) const noexcept
  {
    return passed(served_.load(std::memory_order_acquire)) == ticket;
  }

  // Takes the lock exclusively if nobody has it or waits for it; else nothing has changed.
  bool try_lock(Ticket& ticket) noexcept
  {
    const std::uint64_t served = served_.load(std::memory_order_acquire);
    ticket = left(served);
    // With no ticket out but those that have left, nobody changes `served` any more: the ticket has its turn
    // as soon as it is drawn. relaxed: as in draw().
    return passed(served) == ticket &&
           drawn_.compare_exchange_strong(ticket, ticket + 1, std::memory_order_relaxed,
                                          std::memory_order_relaxed);
  }

  // Takes the lock shared if nobody has it exclusively or waits for it; else nothing has changed. As after
  // enter_shared() there may be somebody to wake.
  bool try_lock_shared() noexcept
  {
    // As in has_shared_turn().
    Ticket ticket = passed(served_.load(std::memory_order_acquire));
    // With no ticket out but those that have passed, the next one has its turn as soon as it is drawn.
    // relaxed: as in draw().
    if (!drawn_.compare_exchange_strong(ticket, ticket + 1, std::memory_order_relaxed,
                                        std::memory_order_relaxed))
      return false;
    enter_shared();
    return true;
  }

  // Lets the next shared ticket in. relaxed: says nothing of the holder's work; as a read-modify-write it
  // hands on the release of the exclusive holder before.
  void enter_shared() noexcept { served_.fetch_add(one_passed, std::memory_order_relaxed); }

  // A plain store: invariant 3.
  void leave(Ticket ticket) noexcept
  {
    // has_turn() has seen this value, and nobody else changes it: invariant 3.
    invariant_on<Sys>([&] { return served_.load(std::memory_order_relaxed) == both(ticket, ticket); },
                      "an exclusive ticket leaves while it has its turn (3)");
    served_.store(both(ticket + 1, ticket + 1), std::memory_order_release);
  }

  void leave_shared() noexcept
  {
    // relaxed: the exchange below fails unless this was the newest value, and brings the order.
    std::uint64_t served = served_.load(std::memory_order_relaxed);
    // The count of those that left must not carry into the other half when it wraps.
    while (!served_.compare_exchange_weak(served, both(left(served) + 1, passed(served)),
                                          std::memory_order_release, std::memory_order_relaxed)) {
    }
    invariant([&] { return passed(served) != left(served); }, "who leaves a lock has passed (2)");
  }

 private:
  static constexpr std::uint64_t one_passed = std::uint64_t{1} << 32;  // the carry out of it is lost, rightly
  static std::uint64_t both(Ticket left, Ticket passed) noexcept
  {
    return std::uint64_t{passed} << 32 | left;
  }
  static Ticket left(std::uint64_t served) noexcept { return static_cast<Ticket>(served); }
  static Ticket passed(std::uint64_t served) noexcept { return static_cast<Ticket>(served >> 32); }

  typename Sys::template atomic<Ticket> drawn_;
  typename Sys::template atomic<std::uint64_t> served_;
};

}  // namespace ranklet::memmodel
