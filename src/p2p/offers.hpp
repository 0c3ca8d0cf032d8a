// Messages that could be copied out, offered where they lie first: a receiver that looks at once copies them
// once, from buffer to buffer. One that does not is late, and the sender copies out after all
// (Engine::copy_out), so that a standard send up to the eager limit never waits for its receive.
//
// Whether a receiver looks is guessed from the last times: after each offer in vain twice as many messages
// are copied out without one. A guess is all it is, so messages to destinations that share a place may spoil
// each other's.
//
// Thread safety: the owner's threads. What two of them note at the same time may be lost, nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "memmodel/memmodel.hpp"
#include "p2p/envelope.hpp"
#include "ranks/ranks.hpp"

namespace ranklet::p2p {

class Offers {
 public:
  // Shorter messages travel faster in the mailbox.
  static constexpr Count shortest = longest_train + 1;

  // Whether a message is to be offered to the receiver now.
  bool worthwhile(const Rank& self, const Rank& dest) noexcept
  {
    // A receiver without a core of its own cannot look.
    if (self.job.wait_policy().spins == 0 || &self == &dest) return false;
    memmodel::Latest<std::uint32_t>& place = of(dest);
    const std::uint32_t word = place.get();
    if ((word & to_skip) == 0) return true;
    place.set(word - 1);
    return false;
  }

  void note_taken(const Rank& dest) noexcept
  {
    if (of(dest).get() != 0) of(dest).set(0);
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

  memmodel::Latest<std::uint32_t>& of(const Rank& dest) noexcept
  {
    return places_[static_cast<std::size_t>(dest.number) % places_.size()];
  }

  std::array<memmodel::Latest<std::uint32_t>, 64> places_;
};

}  // namespace ranklet::p2p
