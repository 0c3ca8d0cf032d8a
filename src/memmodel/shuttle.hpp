// One message at a time between two sides, in turns: what one has written the other one reads, and may then
// write itself. The lines come with what is read, so an answer needs none that the other side has to give
// back first: a message of a line takes one transfer, where a Ring takes two.
//
// Thread safety: each side reads and writes with one thread at a time; that of reading may be another one
// than that of writing, with an edge between them. Invariants:
//  1. Turns alternate: the host writes the even ones, the guest the odd ones, each once it has read the one
//     before. A side reads what the other one has written until it writes itself.
//  2. What a side has written before is visible to who reads its turn.
//  3. A side that has the turn may end all, by a turn without a message. Then nobody writes any more.
#pragma once

#include <cstdint>

#include "memmodel/native.hpp"

namespace ranklet::memmodel {

// Behind a Payload, which shares a line with the turn, an Extra is handed over as well, of which the writer
// need not write all.
template <class Payload, class Extra, class Sys = Native>
class alignas(128) Shuttle {
 public:
  enum class Side : std::uint8_t { host = 0, guest = 1 };

  // What is said beside a message: a position, if there is one to be told.
  struct Note {
    bool is_there = false;
    std::uint64_t position = 0;
  };

  using Turn = std::uint8_t;  // modulo turns: no more than two are in question at a time
  static constexpr std::uint32_t turns = 128;

  // Before both sides know it: the guest has read nothing, and the host is the first to write. relaxed: it is
  // handed to the two by edges of their own.
  static constexpr Turn read_by_guest = 0;
  void begin() noexcept { word_.store(first_word, std::memory_order_relaxed); }

  // For a side that has read the turn `read`: whether a message waits. A hint: relaxed, whoever acts on it
  // looks again by unread().
  bool looks_unread(Side me, Turn read) const noexcept
  {
    return is_for(word_.load(std::memory_order_relaxed), me, read);
  }
  // The same: that message, or null. It stays until this side writes.
  [[gnu::always_inline]] Payload* unread(Side me, Turn read) noexcept
  {
    // Pairs with the release in write(): the message is visible (2).
    if (is_for(word_.load(std::memory_order_acquire), me, read)) {
      // This side writes here next: where the read has left the line with both, it comes meanwhile.
      Sys::prefetch_to_write(&word_);
      return &payload_;
    }
    return nullptr;
  }

  // --- with the turn. relaxed: nobody else writes now, and an edge shows what the other one has written.

  // What has been said beside the message that was read last, and its turn.
  [[gnu::always_inline]] Note note() const noexcept
  {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    return {(word & noted) != 0, word >> position_shift};
  }
  Turn turn() const noexcept { return turn_of(word_.load(std::memory_order_relaxed)); }
  // fill(payload, extra) on what is then the other side's.
  template <class Fill>
  [[gnu::always_inline]] void write(const Note& note, Fill&& fill) noexcept
  {
    fill(payload_, extra_);
    // Pairs with the acquire in unread().
    word_.store(next_turn() | (note.is_there ? noted | note.position << position_shift : 0),
                std::memory_order_release);
  }
  // Nobody writes any more.
  void end() noexcept
  {
    // Pairs with the acquire in has_ended().
    word_.store(next_turn() | ended, std::memory_order_release);
  }

  // By either side.
  bool has_ended() const noexcept { return (word_.load(std::memory_order_acquire) & ended) != 0; }

  bool is_message(const Payload* payload) const noexcept { return payload == &payload_; }
  Extra& extra() noexcept { return extra_; }

 private:
  // In the word: the turn, which says who has written it, and what else there is to say.
  static constexpr std::uint64_t ended = turns, noted = 2 * turns, first_word = 1;
  static constexpr int position_shift = 9;

  static Turn turn_of(std::uint64_t word) noexcept { return static_cast<Turn>(word % turns); }
  std::uint64_t next_turn() const noexcept { return (turn() + 1u) % turns; }
  static bool is_for(std::uint64_t word, Side me, Turn read) noexcept
  {
    return word % 2 != static_cast<std::uint64_t>(me) && turn_of(word) != read && (word & ended) == 0;
  }

  typename Sys::template atomic<std::uint64_t> word_{first_word};
  Payload payload_;
  // Not the line next to it, which the one would bring with the other.
  alignas(128) Extra extra_;
};

}  // namespace ranklet::memmodel
