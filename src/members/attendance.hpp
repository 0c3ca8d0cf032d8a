// Points that all members of a fixed set come to, in the same order: the fences of a window. A member says
// that it has come, which waits for nobody, and looks whether another one has.
//
// Each member has two lines, which it writes in turn and the others look at: when it comes to the next point,
// nobody looks at that line for this one any more (docs/scaling.md). Two members have one line together: who
// comes second writes the line that he has looked at, so it moves once instead of twice.
//
// Thread safety: come() by one thread of the member at a time, the rest by any threads. Invariants:
//  1. A member comes to the points in their order, each once; its words are the last ones of them.
//  2. A thread that sees that a member has come to a point sees all that the member did before.
//  3. Who sleeps at parking(i) until member i has come is woken.
#pragma once

#include <cstdint>
#include <memory>

#include "memmodel/memmodel.hpp"

namespace ranklet::members {

// Points are numbered from 1 on.
template <class Sys = memmodel::Native>
class Attendance {
 public:
  explicit Attendance(int members)
      : is_pair_(members == 2),
        lines_(std::make_unique<Line[]>(is_pair_ ? 1 : turns * static_cast<std::size_t>(members))),
        sleepers_(std::make_unique<Sleepers[]>(static_cast<std::size_t>(members)))
  {
  }

  void come(int me, std::uint64_t number) noexcept
  {
    memmodel::invariant_on<Sys>([&] { return word(me, number - 1).value() + 1 == number; },
                                "a member comes to the points in their order, each once (1)");
    // Release: pairs with the acquire in has_come().
    word(me, number).publish(number);
    parking(me).notify();
  }
  // Acquire: pairs with the release in come(). A member that has gone on without waiting has come, too.
  bool has_come(int member, std::uint64_t number) const noexcept
  {
    return word(member, number).value() >= number;
  }
  memmodel::Parking<Sys>& parking(int member) const noexcept { return sleepers_[member].parking; }

 private:
  static constexpr std::uint64_t turns = 2;

  struct alignas(64) Line {
    memmodel::Sequence<Sys> words[2];
  };
  struct alignas(64) Sleepers {
    memmodel::Parking<Sys> parking;
  };
  memmodel::Sequence<Sys>& word(int member, std::uint64_t number) const noexcept
  {
    return is_pair_ ? lines_[0].words[member]
                    : lines_[turns * static_cast<std::uint64_t>(member) + number % turns].words[0];
  }

  const bool is_pair_;
  const std::unique_ptr<Line[]> lines_;
  const std::unique_ptr<Sleepers[]> sleepers_;  // by member
};

}  // namespace ranklet::members
