// Pieces of one copy that two threads claim, until all are done: the one that offers them and one that waits.
//
// Thread safety: offer() by one thread, join() by any threads of the other side, reset() while nobody else
// knows of the copy. Invariants:
//  1. Every piece is claimed once: by the offering thread from the front, by joining ones from the back.
//  2. offer() returns when all pieces are done, and joining threads touch none of them any more.
//  3. A joining thread sees what was done before offer(); after offer() all that joining threads did is seen.
#pragma once

#include <algorithm>

#include "memmodel/memmodel.hpp"
#include "terms/types.hpp"

namespace ranklet::p2p {

template <class Sys = memmodel::Native>
class SharedPieces {
 public:
  static constexpr Count most = 1 << 16;

  void reset() noexcept { offered_.reset(); }

  // copy(first, n) copies so many pieces, does not throw, and says whether it could: offer() returns false if
  // it could not, for either side.
  template <class Copy>
  bool offer(Count pieces, Copy&& copy) noexcept
  {
    pieces_ = pieces;
    // relaxed, those three: published by the flag.
    claims_.restart(0);
    done_by_others_.restart(0);
    failed_.reset();
    offered_.set();
    Count mine = 0;
    for (Claim c = claim(front, first_claim()); c.pieces > 0; c = claim(front, 1)) {
      if (!copy(c.before, c.pieces)) failed_.set();
      mine += c.pieces;
    }
    for (int i = 0; done_by_others_.value() != pieces_ - mine; ++i) {
      if (i < 1000)
        Sys::pause();
      else
        Sys::yield();
    }
    return !failed_.is_set();
  }

  // Copies pieces if there are some. False as long as none are offered.
  template <class Copy>
  bool join(Copy&& copy) noexcept
  {
    if (!offered_.is_set()) return false;
    for (Claim c = claim(back, first_claim()); c.pieces > 0; c = claim(back, 1)) {
      // Before the count: 3.
      if (!copy(pieces_ - c.before - c.pieces, c.pieces)) failed_.set();
      const Count done = done_by_others_.add(c.pieces);
      memmodel::invariant_on<Sys>([&] { return done <= pieces_; }, "a piece is claimed once (1)");
    }
    return true;
  }

 private:
  // One piece from either end, in the word of claims: how many are taken from the front, and from the back.
  static constexpr std::int64_t front = 1;
  static constexpr std::int64_t back = std::int64_t{1} << 32;

  struct Claim {
    Count before;  // pieces claimed from that end before
    Count pieces;  // 0: there are no more
  };

  // Both claim much at first, then little by little, so that they end together.
  Count first_claim() const noexcept { return std::max<Count>(1, pieces_ * 3 / 8); }

  Claim claim(std::int64_t end, Count wanted) noexcept
  {
    const auto left = [&](std::int64_t word) { return pieces_ - (word & (back - 1)) - (word >> 32); };
    // The look keeps those who come again and again from counting on and on.
    if (left(claims_.value()) <= 0) return {0, 0};
    const std::int64_t word = claims_.take(end * wanted);
    return {end == front ? word & (back - 1) : word >> 32, std::min(wanted, left(word))};
  }

  Count pieces_ = 0;
  memmodel::Flag<Sys> offered_;
  memmodel::Flag<Sys> failed_;
  alignas(64) memmodel::Counter<Sys> claims_;
  alignas(64) memmodel::Counter<Sys> done_by_others_;
};

}  // namespace ranklet::p2p
