// Whom a rank answers, and for how long: when two are worth a shuttle (memmodel/mailbox.hpp), and when theirs
// is none to them.
#pragma once

#include <cstdint>

#include "memmodel/memmodel.hpp"

namespace ranklet::p2p {

class Engine;

// Thread safety: of the owner's threads, each of which may change it; of one at a time where it says so.
class Talk {
 public:
  // --- for the owner, at an answer

  // To the other end of the shuttle: whether nothing is to be looked at.
  bool is_settled() const noexcept { return left_.get() == rounds; }
  // Where something was.
  void settle(const Engine& with) noexcept
  {
    partner_.set(&with);
    left_.set(rounds);
  }
  // To one with which there is no shuttle: whether it is time to seek one.
  bool is_long(const Engine& with) noexcept
  {
    const bool goes_on = partner_.get() == &with;
    if (!goes_on) partner_.set(&with);
    const std::uint32_t left = goes_on ? left_.get() - 1 : rounds - 1;
    left_.set(left != 0 ? left : rounds - 1);
    return left == 0;
  }

  // --- for the owner's thread, one at a time

  // One to the shuttle's other end has gone to its mailbox, behind so many by shuttles. Where few go that way
  // between two that do not, it serves nobody: both talk at once, or in long messages or strided ones, or
  // one of them has left.
  [[gnu::cold, gnu::noinline]] void miss(std::uint32_t sent_by_shuttle) noexcept
  {
    if (sent_by_shuttle - sent_at_miss_ >= sends_of_use) misses_ = 0;
    sent_at_miss_ = sent_by_shuttle;
    if (++misses_ >= most_misses) left_.set(rounds - 1);  // at the next one it is to be looked at
  }
  bool is_in_vain() const noexcept { return misses_ >= most_misses; }
  // Where it is, but cannot be left: to be looked at again behind as many.
  void forgive() noexcept { misses_ = 0; }
  // It has been left. rests: none is to be made with the same partner for long.
  void note_left(bool rests) noexcept
  {
    misses_ = 0;
    if (rests) left_.set(rounds_of_rest);
  }

  // --- for any thread: a hint

  bool wants_shuttle_with(const Engine& other) const noexcept
  {
    return partner_.get() == &other && left_.get() <= rounds;
  }

 private:
  static constexpr std::uint32_t rounds = 16, rounds_of_rest = 1024;
  static constexpr std::uint32_t most_misses = 16, sends_of_use = 4;

  // The one that was answered last.
  memmodel::Latest<const Engine*> partner_;
  // So many answers to that one before a shuttle is sought.
  memmodel::Latest<std::uint32_t> left_;
  std::uint32_t misses_ = 0, sent_at_miss_ = 0;
};

}  // namespace ranklet::p2p
