// What a member notes of its collective calls, so that others who wait for it can see that it is in another
// one. There are two rows of numbers, of blocking calls (rounds) and of nonblocking ones (operations);
// members of a correct program make the same calls in the same order.
//
// Thread safety: one thread of the member at a time notes, any threads look. A look may tell of the past:
// a thread that finds a call that differs looks again whether the member has come. Invariants:
//  1. What the member notes later publishes what it has noted before, so a look at the later of two numbers
//     comes first and the earlier one is not older than that.
//  2. A call of a round is kept for places - 1 further rounds; then the place has another round's number.
#pragma once

#include <cstdint>

#include "memmodel/memmodel.hpp"

namespace ranklet::members {

// A call is a word of `bits` bits, not 0.
template <std::uint64_t places, unsigned bits, class Sys = memmodel::Native>
class CallLog {
 public:
  void note_round(std::uint64_t round, std::uint32_t call) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return rounds_.value() < round; },
                                "a member notes its rounds in their order (1)");
    calls_[round % places].publish(round << bits | call);
    rounds_.publish(round);
  }
  void note_operation(std::uint64_t operation, std::uint32_t call) noexcept
  {
    operations_.publish(operation << bits | call);
  }

  // The numbers of the last ones.
  std::uint64_t rounds() const noexcept { return rounds_.value(); }
  std::uint64_t operations() const noexcept { return operations_.value() >> bits; }
  std::uint32_t last_operation() const noexcept { return call_of(operations_.value()); }

  // The call of that round; 0 if the member is not there yet, or was long ago.
  std::uint32_t call_in(std::uint64_t round) const noexcept
  {
    const std::uint64_t noted = calls_[round % places].value();
    return noted >> bits == round << bits >> bits ? call_of(noted) : 0;
  }

  // Whether the member does something else than the `call` of that round, before which there have been
  // `operations`.
  bool is_elsewhere(std::uint64_t round, std::uint64_t operations, std::uint32_t call) const noexcept
  {
    // Invariant 1: first the later of the two.
    const bool is_ahead = this->operations() > operations;
    const std::uint32_t noted = call_in(round);
    if (noted != 0) return noted != call;
    // It has begun a nonblocking one that is not ours, and this round not yet.
    return is_ahead && rounds() < round;
  }

  // What the member calls instead of the `call` of that operation, before which there have been `rounds`; 0
  // if nothing is known. may_be_late: when its note of the operation is older, as that of a persistent one.
  std::uint32_t call_instead(std::uint64_t operation, std::uint64_t rounds, std::uint32_t call,
                             bool may_be_late) const noexcept
  {
    // Invariant 1: the rounds, which come later where they exceed ours.
    const std::uint64_t their_rounds = rounds_.value();
    const std::uint64_t noted = operations_.value();
    const std::uint64_t their_operation = noted >> bits;
    if (their_operation < operation)
      return their_rounds <= rounds ? 0 : call_of(calls_[their_rounds % places].value());
    if (their_operation == operation) return call_of(noted) != call ? call_of(noted) : 0;
    // Of a persistent one the start may still come; of another the call is over.
    return may_be_late ? 0 : call_of(noted);
  }

 private:
  static std::uint32_t call_of(std::uint64_t noted) noexcept
  {
    return static_cast<std::uint32_t>(noted) & ((std::uint32_t{1} << bits) - 1);
  }

  memmodel::Sequence<Sys> calls_[places];  // of round r in place r mod places, each number << bits | call
  memmodel::Sequence<Sys> rounds_;
  memmodel::Sequence<Sys> operations_;
};

}  // namespace ranklet::members
