// A Ring for all, and a Shuttle between this mailbox and the one that it mostly talks to, where there is one.
//
// Thread safety: as Ring's; try_shuttle(), invite() and leave() by the owner's threads, one at a time.
// Invariants:
//  1. What one thread sends comes out in the order it was sent, whichever way it goes. By the shuttle only
//     goes what has none of the sender's before it in the ring; and the consumer looks there again when it
//     has seen something in the ring.
//  2. A mailbox is at one end of a shuttle at most, of its own or of the other's. It is brought there by
//     either of the two, and leaves by its owner alone, while it is the consumer, when the shuttle has ended.
//     The lines are used again when both have left.
#pragma once

#include <cstdint>
#include <utility>

#include "memmodel/ring.hpp"
#include "memmodel/shuttle.hpp"

namespace ranklet::memmodel {

template <class Payload, class Extra, std::uint32_t capacity, class Sys = Native>
class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // --- by any thread: see Ring
  template <class Fill, class Await>
  [[gnu::always_inline]] bool try_push(Fill&& fill, Await&& await, bool streams = false) noexcept
  {
    return ring_.try_push(fill, await, streams);
  }
  template <class Fill, class FillNext, class Await>
  [[gnu::always_inline]] bool try_push_train(std::uint32_t cells, Fill&& fill, FillNext&& fill_next,
                                             Await&& await, bool streams = false) noexcept
  {
    return ring_.try_push_train(cells, fill, fill_next, await, streams);
  }
  bool looks_nonempty() const noexcept { return ring_.looks_nonempty() || looks_brought(); }
  bool looks_claimed() const noexcept { return ring_.looks_claimed() || looks_brought(); }
  std::uint64_t beyond_half() const noexcept { return ring_.beyond_half(); }

  // --- by the consumer

  // The message that is to be taken next, or null.
  [[gnu::always_inline]] Payload* front() noexcept
  {
    Payload* const first = ring_.front();
    // Behind the ring: a message there may have been sent behind one in the shuttle, and its edge shows that
    // then, and that it is awaited (1). acquire pairs with the release in invite().
    if (const std::uintptr_t awaited = awaited_.load(std::memory_order_acquire)) {
      Line& line = *line_in(awaited);
      if (Payload* const brought = line.unread(side_at(line), turn_in(awaited))) return brought;
    }
    return first;
  }
  // Gives back what front() has returned; cells: of a train, how many in the ring.
  [[gnu::always_inline]] void pop(const Payload& taken, std::uint32_t cells = 1) noexcept
  {
    if (line_of(taken)) {
      // Pairs with the acquire in try_shuttle(): our reads of the lines come before the owner writes there.
      awaited_.store(0, std::memory_order_release);
      return;
    }
    ring_.pop(cells);
  }
  // What came with a message by the shuttle; null for one of the ring.
  Extra* extra_of(const Payload& taken) noexcept
  {
    Line* const line = line_of(taken);
    return line ? &line->extra() : nullptr;
  }
  // Of the ring alone: see there.
  Payload* published(std::uint32_t i) noexcept { return ring_.published(i); }
  void prefetch_train(std::uint32_t cells) const noexcept { ring_.prefetch_train(cells); }
  Payload& behind_front(std::uint32_t i) noexcept { return ring_.behind_front(i); }
  [[gnu::always_inline]] void read_behind(std::uint32_t cells) noexcept { ring_.read_behind(cells); }
  [[gnu::always_inline]] Payload* front_read() noexcept { return ring_.front_read(); }

  // --- by the owner

  // Whether a shuttle goes to this mailbox.
  [[gnu::always_inline]] bool shuttles_to(const Mailbox& to) const noexcept
  {
    // acquire pairs with the release in invite().
    const Line* const line = line_at(std::memory_order_acquire);
    if (line == &own_)
      return own_.guest.load(std::memory_order_relaxed) == reinterpret_cast<std::uintptr_t>(&to);
    return line && line == &to.own_;
  }
  // Where it does: calls fill(payload, extra) on what goes there. False, with nothing done, if that is not
  // possible now.
  template <class Fill>
  [[gnu::always_inline]] bool try_shuttle(Mailbox& to, Fill&& fill) noexcept
  {
    // acquire pairs with the release in pop(), which may have been another thread's.
    if (awaited_.load(std::memory_order_acquire) != 0) return false;
    Line& line = *line_at(std::memory_order_relaxed);
    // What this thread has pushed there, it sees in the ring's tail. Where that is as the other side has
    // found it when its ring was empty, there is nothing of ours.
    const Note note = line.note();
    if (!(note.is_there && note.position == to.ring_.claimed()) && !finds_taken(to, line.turn())) [[unlikely]]
      return false;
    Note mine;
    mine.is_there = ring_.is_empty_at(mine.position);
    line.write(mine, [&](Payload& payload, Extra& extra) {
      fill(payload, extra);
      // Before the message is there, and so before an answer is. relaxed: whoever sees what was sent behind
      // that answer sees this.
      awaited_.store(behind(line, line.turn()), std::memory_order_relaxed);
    });
    ++sent_;
    return true;
  }
  // Makes a shuttle between the two, if neither has one.
  bool invite(Mailbox& guest) noexcept
  {
    // Pairs with the release in leave(). The look at the guest saves it the transfers of its line.
    if (own_.at_ends.load(std::memory_order_acquire) != 0 ||
        guest.is_taken_.load(std::memory_order_relaxed) != 0 ||
        is_taken_.exchange(1, std::memory_order_acquire) != 0)
      return false;
    if (guest.is_taken_.exchange(1, std::memory_order_acquire) != 0) {
      // release: for who takes it next, behind whom leave() had come before.
      is_taken_.store(0, std::memory_order_release);
      return false;
    }
    // relaxed: the stores behind it publish all.
    own_.at_ends.store(2, std::memory_order_relaxed);
    own_.guest.store(reinterpret_cast<std::uintptr_t>(&guest), std::memory_order_relaxed);
    own_.begin();
    looks_ = 0;
    // Pair with the acquires of who reads them: the guest's consumer, who sees what the host has pushed to
    // its ring behind a message in the shuttle, sees the shuttle as well (1).
    const auto line = reinterpret_cast<std::uintptr_t>(&own_);
    shuttle_.store(line, std::memory_order_release);
    guest.awaited_.store(behind(own_, Line::read_by_guest), std::memory_order_release);
    guest.shuttle_.store(line, std::memory_order_release);
    return true;
  }
  // How many messages the owner has sent by shuttles; goes round.
  std::uint32_t sent_by_shuttle() const noexcept { return sent_; }
  // acquire pairs with the release in invite(): may_leave() sees what the guest awaits since.
  bool has_shuttle() const noexcept { return line_at(std::memory_order_acquire) != nullptr; }
  // Where there is one: whether the other side has ended it.
  bool has_ended() const noexcept { return line_at(std::memory_order_acquire)->has_ended(); }
  // Whether it has ended, or may be ended by us now.
  bool may_leave() const noexcept
  {
    // acquire: as in try_shuttle() and shuttles_to().
    return awaited_.load(std::memory_order_acquire) == 0 || has_ended();
  }
  // Then, by the owner, who is the consumer as well.
  void leave() noexcept
  {
    Line& line = *line_at(std::memory_order_relaxed);
    if (awaited_.load(std::memory_order_relaxed) == 0) line.end();
    awaited_.store(0, std::memory_order_relaxed);
    shuttle_.store(0, std::memory_order_relaxed);
    // Pair with the acquires in invite().
    line.at_ends.fetch_sub(1, std::memory_order_release);
    is_taken_.store(0, std::memory_order_release);
  }
  // When nobody sends any more, and the other end may be gone.
  void forget_shuttle() noexcept { awaited_.store(0, std::memory_order_relaxed); }

 private:
  template <class T>
  using Atomic = typename Sys::template atomic<T>;
  struct Line : Shuttle<Payload, Extra, Sys> {
    // The guest's address, set before it is used. relaxed: the edges of shuttle_ show it to who has a shuttle
    // here; who looks where there is another one by now finds that it is not his.
    Atomic<std::uintptr_t> guest{0};
    Atomic<std::uint32_t> at_ends{0};  // mailboxes that have not left
  };
  using Side = typename Line::Side;
  using Turn = typename Line::Turn;
  using Note = typename Line::Note;
  static constexpr std::uint32_t looks_each = 8;

  Line* line_at(std::memory_order order) const noexcept
  {
    return reinterpret_cast<Line*>(shuttle_.load(order));
  }
  // A word that says which message is awaited: the one behind a turn, for which the line's alignment has
  // room.
  static std::uintptr_t behind(Line& line, Turn turn) noexcept
  {
    static_assert(alignof(Line) >= Line::turns);
    return reinterpret_cast<std::uintptr_t>(&line) | turn;
  }
  static Line* line_in(std::uintptr_t awaited) noexcept
  {
    return reinterpret_cast<Line*>(awaited & ~std::uintptr_t{Line::turns - 1});
  }
  static Turn turn_in(std::uintptr_t awaited) noexcept { return static_cast<Turn>(awaited % Line::turns); }
  Side side_at(const Line& line) const noexcept { return &line == &own_ ? Side::host : Side::guest; }
  bool looks_brought() const noexcept
  {
    // acquire pairs with the release in invite().
    const std::uintptr_t awaited = awaited_.load(std::memory_order_acquire);
    if (awaited == 0) return false;
    const Line& line = *line_in(awaited);
    return line.looks_unread(side_at(line), turn_in(awaited));
  }
  // Of the consumer's message: the shuttle's lines, or null.
  [[gnu::always_inline]] Line* line_of(const Payload& taken) const noexcept
  {
    // relaxed: the consumer has seen it in front().
    Line* const line = line_in(awaited_.load(std::memory_order_relaxed));
    return line && line->is_message(&taken) ? line : nullptr;
  }
  // Whether the other side has taken all that we have pushed there: at once in a new turn, in which it has
  // answered, and then not each time, as it takes lines away from that one.
  [[gnu::cold, gnu::noinline]] bool finds_taken(const Mailbox& to, Turn turn) noexcept
  {
    if (std::exchange(turn_of_look_, turn) != turn) looks_ = 0;
    return looks_++ % looks_each == 0 && to.ring_.has_taken_all();
  }

  Ring<Payload, capacity, Sys> ring_;
  // The lines of its shuttle, or 0; and while the turn is with the other side, what is awaited. Of the owner
  // and the consumer; set by others rarely.
  alignas(128) Atomic<std::uintptr_t> shuttle_{0};
  Atomic<std::uintptr_t> awaited_{0};
  Atomic<std::uint32_t> is_taken_{0};
  // The owner's: messages that it has sent so, and how often it has looked whether all is taken, or might
  // have, in this turn.
  std::uint32_t sent_ = 0, looks_ = 0;
  Turn turn_of_look_ = 0;
  Line own_;
};

}  // namespace ranklet::memmodel
