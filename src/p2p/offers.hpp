// Messages that could be copied out, offered where they lie first: a receiver that looks at once copies them
// once, from buffer to buffer. One that does not is late, and the sender copies out after all
// (Engine::copy_out), so that a standard send up to the eager limit never waits for its receive.
//
// Whether a receiver looks is guessed from the last times: after each offer in vain twice as many messages
// are copied out without one. And after one that was copied slowly: data that the sender has written since
// the last time comes to the receiver's core line by line, and goes back when it is written again, where a
// parcel's lines go to and fro with the messages (parcel_stock.hpp). A guess is all it is, so messages to
// destinations that share a place may spoil each other's.
//
// Longer messages wait for their receives in the send buffer. Where one was copied slowly the next ones are
// put into parcels, from which the receiver copies, and wait all the same.
//
// Thread safety: the owner's threads. What two of them note at the same time may be lost, nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "memmodel/memmodel.hpp"
#include "p2p/envelope.hpp"
#include "ranks/ranks.hpp"

namespace ranklet::p2p {

class Offers {
 public:
  // Shorter messages travel faster in the mailbox.
  static constexpr Count shortest = longest_train + 1;
  // Of longer ones a further copy takes as long as it saves.
  static constexpr Count longest = 128 * 1024;

  // Whether a message is to be offered to the receiver now.
  bool worthwhile(const Rank& self, const Rank& dest) noexcept
  {
    return may_look(self, dest) && !skips(dest);
  }
  // Whether a message that waits in the send buffer is to be put into a parcel now.
  bool needs_parcel(const Rank& self, const Rank& dest) noexcept
  {
    return may_look(self, dest) && skips(dest);
  }

  // How fast the receiver has copied an offer; mostly nobody looks at the clock for it.
  enum class Pace : std::uint8_t { not_measured, to_be_measured, fast, slow };

  // For an offer that is made now.
  Pace pace(const Rank& dest) noexcept
  {
    const std::uint32_t made = made_.get();
    made_.set(made + 1);
    return of(dest).get() != 0 || made % measured_once_in == 0 ? Pace::to_be_measured : Pace::not_measured;
  }
  // For the receiver: copy() of so many bytes, and how fast that was.
  // fast: bytes a nanosecond. Within a core's caches it is 25 to 145, from another core's 4 to 20, of longer
  // messages up to 28, and of what two copy up to 30.
  enum class Fast : std::uint8_t { offered = 26, waiting = 28, by_two = 32 };
  template <class Copy>
  static Pace copy_at(Pace pace, Count bytes, Fast fast, Copy&& copy)
  {
    if (pace != Pace::to_be_measured) [[likely]] {
      copy();
      return pace;
    }
    const auto begin = std::chrono::steady_clock::now();
    copy();
    const std::chrono::nanoseconds duration = std::chrono::steady_clock::now() - begin;
    return (duration.count() - apart) * static_cast<std::int64_t>(fast) > bytes ? Pace::slow : Pace::fast;
  }

  void note_taken(const Rank& dest, Pace pace) noexcept
  {
    if (pace == Pace::slow)
      note_late(dest);
    else if (pace == Pace::fast && of(dest).get() != 0)
      of(dest).set(0);
  }

  void note_late(const Rank& dest) noexcept
  {
    const std::uint32_t skipped = of(dest).get() / next_pause;
    const std::uint32_t pause = std::min(2 * skipped + 1, longest_pause);
    of(dest).set(pause * next_pause + pause);
  }

 private:
  // A word: messages that are still to be copied out without an offer, and how many there were at first.
  static constexpr std::uint32_t next_pause = 0x100;
  static constexpr std::uint32_t to_skip = next_pause - 1;
  static constexpr std::uint32_t longest_pause = 63;
  static constexpr std::uint32_t measured_once_in = 8;
  // Nanoseconds for the clock, and for a line that has been written.
  static constexpr std::int64_t apart = 50;

  // A receiver without a core of its own cannot look.
  static bool may_look(const Rank& self, const Rank& dest) noexcept
  {
    return self.job.wait_policy().spins > 0 && &self != &dest;
  }
  bool skips(const Rank& dest) noexcept
  {
    memmodel::Latest<std::uint32_t>& place = of(dest);
    const std::uint32_t word = place.get();
    if ((word & to_skip) == 0) return false;
    place.set(word - 1);
    return true;
  }

  memmodel::Latest<std::uint32_t>& of(const Rank& dest) noexcept
  {
    return places_[static_cast<std::size_t>(dest.number) % places_.size()];
  }

  std::array<memmodel::Latest<std::uint32_t>, 64> places_;
  memmodel::Latest<std::uint32_t> made_;
};

}  // namespace ranklet::p2p
