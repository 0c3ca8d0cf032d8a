// Messages that could be copied out, offered where they lie first: a receiver that looks at once copies them
// once, from buffer to buffer. One that does not is late, and the sender copies out after all
// (Engine::copy_out), so that a standard send up to the eager limit never waits for its receive.
//
// Whether a receiver looks is guessed from the last times: after each offer in vain twice as many messages
// are copied out without one. And after one whose data was new: what the sender has written since the last
// time comes to the receiver's core line by line, and goes back when it is written again, where a parcel's
// lines go to and fro with the messages (parcel_stock.hpp). The sender sees it by what has changed
// (glimpses.hpp), and the receiver by how slowly it copies, which says little where cores are near. A guess
// is all it is, so messages to destinations that share a place may spoil each other's.
//
// Longer messages wait for their receives in the send buffer. Where one was new to the receiver (found.hpp
// says how that is seen there) the next ones are put into parcels, from which it copies, and wait all the
// same.
//
// Thread safety: the owner's threads. What two of them note at the same time may be lost, nothing else.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "base/sanitizer_runtime.hpp"
#include "memmodel/memmodel.hpp"
#include "p2p/envelope.hpp"
#include "p2p/found.hpp"
#include "p2p/glimpses.hpp"
#include "p2p/pauses.hpp"
#include "ranks/ranks.hpp"

namespace ranklet::p2p {

class Offers {
 public:
  // Shorter messages travel faster in the mailbox.
  static constexpr Count shortest = longest_train + 1;
  static_assert(shortest >= Glimpses::shortest);
  // Of longer ones a further copy takes as long as it saves.
  static constexpr Count longest = 256 * 1024;

  // A receiver without a core of its own cannot look.
  static bool may_look(const Rank& self, const Rank& dest) noexcept
  {
    return self.job.wait_policy().spins > 0 && &self != &dest;
  }
  // Whether a message is to be offered to the receiver now.
  bool worthwhile(const Rank& self, const Rank& dest) noexcept
  {
    return may_look(self, dest) && !skips(dest);
  }
  // Whether a message that waits in the send buffer is to be put into a parcel now. For receivers that
  // may_look().
  bool needs_parcel(const Rank& dest) noexcept { return skips(dest); }

  // How fast the receiver copies a message where it lies; mostly nobody looks at the clock for it. slow: also
  // what the sender knows to be new.
  enum class Pace : std::uint8_t { not_measured, to_be_measured, fast, slow };

  // For a message that is shown where it lies now. Its values are not looked at where a tool reports what
  // depends on those that were never set, as holes in structures.
  Pace pace(const Rank& dest, const void* data, Count bytes) noexcept
  {
    const bool has_changed = sees_values_ && glimpses_.has_changed(dest.number, data, bytes);
    return !is_measured(dest) ? Pace::not_measured : has_changed ? Pace::slow : Pace::to_be_measured;
  }
  // For the receiver: copy() of so many bytes, and how fast that was.
  template <class Copy>
  static Pace copy_at(Pace pace, Count bytes, Copy&& copy)
  {
    if (pace != Pace::to_be_measured) [[likely]] {
      copy();
      return pace;
    }
    const auto begin = std::chrono::steady_clock::now();
    copy();
    const std::chrono::nanoseconds duration = std::chrono::steady_clock::now() - begin;
    return (duration.count() - apart) * bytes_a_nanosecond > bytes ? Pace::slow : Pace::fast;
  }
  // Of a longer message, before a copy in which two threads may have a part.
  static Pace pace_of(Pace pace, const void* data, Count bytes) noexcept
  {
    if (pace != Pace::to_be_measured) [[likely]]
      return pace;
    return find_out(data, bytes) == Found::fresh ? Pace::slow : Pace::fast;
  }

  void note_taken(const Rank& dest, Pace pace) noexcept
  {
    if (pace == Pace::slow)
      note_late(dest);
    else if (pace == Pace::fast && of(dest).get().is_any())
      of(dest).set({});
  }

  void note_late(const Rank& dest) noexcept
  {
    Pauses pauses = of(dest).get();
    pauses.lengthen();
    of(dest).set(pauses);
  }

 private:
  static constexpr std::uint32_t measured_once_in = 8;
  // Within a core's caches it is 25 to 145, from another core's 4 to 20.
  static constexpr std::int64_t bytes_a_nanosecond = 26;
  // Nanoseconds for the clock, and for a line that has been written.
  static constexpr std::int64_t apart = 50;

  bool is_measured(const Rank& dest) noexcept
  {
    memmodel::Latest<std::uint8_t>& made = of(dest, made_);
    const std::uint8_t before = made.get();
    made.set(static_cast<std::uint8_t>(before + 1));
    Pauses pauses = of(dest).get();
    if (!pauses.is_any()) return before % measured_once_in == 0;
    const bool measured = pauses.look();
    of(dest).set(pauses);
    return measured;
  }

  bool skips(const Rank& dest) noexcept
  {
    Pauses pauses = of(dest).get();
    if (!pauses.leave_out()) return false;
    of(dest).set(pauses);
    return true;
  }

  static constexpr std::size_t places = 64;

  template <class T>
  static T& of(const Rank& dest, std::array<T, places>& all) noexcept
  {
    return all[static_cast<std::size_t>(dest.number) % places];
  }
  memmodel::Latest<Pauses>& of(const Rank& dest) noexcept { return of(dest, pauses_); }

  std::array<memmodel::Latest<Pauses>, places> pauses_;
  std::array<memmodel::Latest<std::uint8_t>, places> made_;
  Glimpses glimpses_;
  const bool sees_values_ = !runs_under_valgrind();
};

}  // namespace ranklet::p2p
