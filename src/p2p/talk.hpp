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
  // No shuttle for long: the last one was of no use.
  void rest() noexcept { left_.set(rounds_of_rest); }

  // --- for the owner's thread, one at a time

  // One to the shuttle's other end has gone to its mailbox, when this was the turn. Between two that mostly
  // miss it serves nobody: they talk both at once, or in long messages, or one of them has left.
  [[gnu::cold, gnu::noinline]] void miss(std::uint32_t turn, std::uint32_t turns) noexcept
  {
    if ((turn - turn_of_miss_) % turns >= turns_of_use) misses_ = 0;
    turn_of_miss_ = turn;
    if (++misses_ >= most_misses) left_.set(rounds - 1);  // at the next one it is to be looked at
  }
  // Says once whether it has served nobody.
  bool was_in_vain() noexcept
  {
    const bool in_vain = misses_ >= most_misses;
    misses_ = 0;
    return in_vain;
  }

  // --- for any thread: a hint

  bool wants_shuttle_with(const Engine& other) const noexcept
  {
    return partner_.get() == &other && left_.get() <= rounds;
  }

 private:
  static constexpr std::uint32_t rounds = 16, rounds_of_rest = 1024;
  static constexpr std::uint32_t most_misses = 16, turns_of_use = 8;

  // The one that was answered last.
  memmodel::Latest<const Engine*> partner_;
  // So many answers to that one before a shuttle is sought.
  memmodel::Latest<std::uint32_t> left_;
  std::uint32_t misses_ = 0, turn_of_miss_ = 0;
};

}  // namespace ranklet::p2p
