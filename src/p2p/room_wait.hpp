// How long a sender that finds a mailbox full leaves it to the receiver to empty it. While the receiver
// receives, help would take its lines away, and keep what it is about to take. One that computes in between
// is not waited for: what it gets is kept, as far as that stays in the caches. Where much is kept already, or
// a sender has lately waited so, a sender waits for slow receivers, too, as what is kept then costs both more
// than the wait, until one has been waited for in vain.
//
// Thread safety: the sender's thread.
#pragma once

#include <cstdint>

namespace ranklet::p2p {

class RoomWait {
 public:
  // spins: as many pauses as it waits at most. begun: how many receives the receiver has begun. patiently:
  // for slow ones, with no limit but their standstill.
  RoomWait(int spins, std::uint32_t begun, bool patiently) noexcept
      : spins_(spins), begun_(begun), patiently_(patiently)
  {
  }

  bool goes_on() const noexcept { return patiently_ ? !was_in_vain() : pauses_ < spins_; }
  // At each look: whether to help, as the receiver has taken hardly any of the `cells` that are in the way.
  // begun(): the count, read only where it matters.
  template <class Begun>
  bool wants_help(std::uint64_t cells, Begun&& begun) noexcept
  {
    const auto enough = static_cast<std::uint32_t>(paused_ / pauses_for_one);
    const bool stands = pauses_ > 0 && cells + enough >= cells_before_;
    cells_before_ = cells;
    if (!stands) return false;
    // It may be busy with messages that were kept.
    const std::uint32_t now = begun();
    const std::uint32_t more = now - begun_;
    begun_ = now;
    idle_ = more == 0 ? idle_ + paused_ : 0;
    return !patiently_ && more <= enough;
  }
  void note_paused(int pauses) noexcept
  {
    paused_ = pauses;
    pauses_ += pauses;
  }
  // Whether the receiver has stood still for so long that the next one need not wait for it; and the count it
  // stood at.
  bool was_in_vain() const noexcept { return patiently_ && idle_ > pauses_in_vain; }
  std::uint32_t begun() const noexcept { return begun_; }
  bool was_patient() const noexcept { return patiently_; }
  std::int64_t pauses() const noexcept { return pauses_; }

 private:
  // One that takes a message in so many pauses is left alone.
  static constexpr int pauses_for_one = 24;
  // The same where much is kept for it: 40 to 100 microseconds.
  static constexpr int pauses_in_vain = 2000;

  const int spins_;
  std::uint32_t begun_;
  const bool patiently_;
  std::uint64_t cells_before_ = 0;
  std::int64_t pauses_ = 0;
  int paused_ = 0, idle_ = 0;
};

}  // namespace ranklet::p2p
