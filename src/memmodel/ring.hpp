// A bounded queue of 64-byte cells from many producers to one consumer at a time: a rank's mailbox. What is
// longer than a cell's payload travels in a train: several cells that follow each other, published as one.
//
// Thread safety: any thread may push. Only one thread at a time may use front/pop; the right to do so moves
// from thread to thread with an edge of its own (a Token). Invariants:
//  1. A producer has positions p to p+n-1 from its step of tail from p to p+n, and owns their cells from when
//     it also knows that head >= p+n-capacity until it stores turn = p+1 in the first; the consumer owns them
//     from when it sees that until it stores head = p+n. The other cells of a train have their turns by then,
//     at which nobody looks.
//  2. limit <= head <= tail, and what is behind head + capacity belongs to producers that wait (4). Positions
//     have 64 bits and are never used twice, so a thread may rest between its looks and its step of tail for
//     as long as it likes. A turn has the low 32 bits of one: the cell of position p only ever changes from
//     p + 1 - capacity to p + 1.
//  3. Cells come out in the order of their positions; what one thread pushes comes out in the order it was
//     pushed. One slow producer between its step and its turn holds up all later positions.
//  4. Tail goes on by fetch_add, which takes one visit of its line however many producers come at once. What
//     they saw to be free may be gone by then: such a producer waits with the positions that it has. Of those
//     that are not published the first ones have room, as the consumer gets that far: nobody waits for
//     itself.
//  5. In the flow from one producer to the consumer only the cell's line moves between their caches: tail and
//     limit stay with the producers, head is read by producers once in `capacity` messages. Where cells wait,
//     the consumer reads tail once in `steady` of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "base/zeroed.hpp"
#include "memmodel/native.hpp"

namespace ranklet::memmodel {

template <class Payload, std::uint32_t capacity, class Sys = Native>
class Ring {
  static_assert(capacity > 0 && (capacity & (capacity - 1)) == 0, "turns wrap at 2^32");
  static_assert(std::is_trivially_destructible_v<Payload>);

 public:
  using Position = std::uint64_t;

  // Tests begin at other positions than 0 to reach the wrap of turns.
  explicit Ring(Position first = 0) : cells_(make_cells()), producers_(first), consumer_(first)
  {
    // Zeros are turns of no position of the first lap, and cells that are not used cost no memory. For other
    // beginnings each cell looks as its consumer left it one lap ago. relaxed: the ring is handed to other
    // threads by an edge of its own.
    if (first == 0) return;
    for (Position position = first; position != first + capacity; ++position)
      cells_[position % capacity].turn.store(turn_of(position - capacity), std::memory_order_relaxed);
  }

  // Calls fill(payload) on a cell and publishes it. False, with nothing done, when the ring is full. When
  // others take the room that was there, calls await(lacking): lacking() is the number of cells that must be
  // taken first, await returns when it is 0, and sees to it meanwhile that somebody takes them. streams: the
  // caller will push more before the consumer answers, and a line that it will write comes here meanwhile;
  // else the consumer's looks at that line would fetch it back.
  template <class Fill, class Await>
  [[gnu::always_inline]] bool try_push(Fill&& fill, Await&& await, bool streams = false) noexcept
  {
    Position position;
    if (!claim(1, position, await)) return false;
    if (streams) Sys::prefetch_to_write(&cells_[(position + stream_distance) % capacity]);
    publish(position, fill);
    return true;
  }

  // The same for a train: first fill_next(payload, i) on the cell i behind the first, for i from 1 to cells
  // - 1. cells <= capacity.
  template <class Fill, class FillNext, class Await>
  [[gnu::always_inline]] bool try_push_train(std::uint32_t cells, Fill&& fill, FillNext&& fill_next,
                                             Await&& await, bool streams = false) noexcept
  {
    Position position;
    if (!claim(cells, position, await)) return false;
    // The consumer has had all of these lines: they come side by side, not one behind the store to the other.
    // In a stream those of the next train but one come instead.
    const bool early = streams && cells <= longest_early;
    const std::uint32_t ahead = early ? 2 * cells : 0;
    for (std::uint32_t i = early ? 0 : 1; i < cells; ++i)
      Sys::prefetch_to_write(&cells_[(position + ahead + i) % capacity]);
    for (std::uint32_t i = 1; i < cells; ++i) {
      Cell& cell = claimed(position + i);
      fill_next(cell.payload, i);
      // relaxed: the turn of the first cell publishes all.
      cell.turn.store(turn_of(position + i), std::memory_order_relaxed);
      // In a stream the time that this takes is not the consumer's.
      if (!streams) Sys::pass_on(&cell);
    }
    publish(position, fill);
    return true;
  }

  // The oldest published cell, or null. Consumer only.
  [[gnu::always_inline]] Payload* front() noexcept
  {
    const Position position = consumer_.position;
    Cell& cell = cells_[position % capacity];
    // Pairs with the release in try_push(): the payload is visible.
    if (cell.turn.load(std::memory_order_acquire) == turn_of(position)) [[likely]]
      return &cell.payload;
    consumer_.next_look = position + steady;
    return nullptr;
  }

  // The published cell so many behind front(), which is the first of a train or one of its own; or null.
  // i < capacity. Consumer only.
  Payload* published(std::uint32_t i) noexcept
  {
    const Position position = consumer_.position + i;
    Cell& cell = cells_[position % capacity];
    // Pairs as in front().
    return cell.turn.load(std::memory_order_acquire) == turn_of(position) ? &cell.payload : nullptr;
  }

  // Before the cells behind front() of the same train are read: their lines come side by side. Consumer only.
  void prefetch_train(std::uint32_t cells) const noexcept
  {
    for (std::uint32_t i = 1; i < cells; ++i)
      Sys::prefetch_to_read(&cells_[(consumer_.position + i) % capacity]);
  }

  // The cell i behind front(), of the same train. Consumer only.
  Payload& behind_front(std::uint32_t i) noexcept
  {
    return cells_[(consumer_.position + i) % capacity].payload;
  }

  // Gives the cell of front(), and those of its train, back to the producers. Consumer only.
  void pop(std::uint32_t cells = 1) noexcept
  {
    // front() has seen this turn, and no producer may change it before we store head.
    invariant_on<Sys>(
        [&] {
          const Position position = consumer_.position;
          return cells_[position % capacity].turn.load(std::memory_order_relaxed) == turn_of(position);
        },
        "only a published cell of a ring is given back (1)");
    consumer_.position += cells;
    // Pairs with the acquire in refresh_limit(): our reads of the cells come before their reuse.
    consumer_.head.store(consumer_.position, std::memory_order_release);
    if (cells == 1) read_ahead(read_distance);
  }

  // For a cell that stands for several, before what it refers to is read: the line of the next one comes
  // meanwhile, where cells wait. Consumer only.
  [[gnu::always_inline]] void read_behind(std::uint32_t cells) noexcept { read_ahead(cells); }

  // After pop(): front(), if that one was asked for; else null. Consumer only.
  [[gnu::always_inline]] Payload* front_read() noexcept
  {
    return consumer_.position < consumer_.claimed ? front() : nullptr;
  }

  // Whether something waits to be taken; a hint for threads that do not consume. It is good enough as ready()
  // of a Parking whose waker pushes and then notifies. With a stale head it looks at an older cell: either
  // that cell still has its turn and the answer is a needless true, or a producer has reused it, and that
  // producer's notify() comes after the head that we missed, hence after our heavy fence, and sees us asleep.
  bool looks_nonempty() const noexcept
  {
    const Position position = consumer_.head.load(std::memory_order_relaxed);
    // relaxed: a thread that acts on the answer becomes the consumer first and looks again with front().
    return cells_[position % capacity].turn.load(std::memory_order_relaxed) == turn_of(position);
  }

  // Whether a producer has claimed a cell that is not taken yet, published or not: what a thread asks before
  // it goes to sleep, as a message behind a cell that is not published yet is a message too.
  bool looks_claimed() const noexcept
  {
    // relaxed, both: Parking's fences order this look against the producers' stores.
    return producers_.tail.load(std::memory_order_relaxed) != consumer_.head.load(std::memory_order_relaxed);
  }

  // Positions that producers have claimed: what the calling thread has pushed lies before.
  Position claimed() const noexcept { return producers_.tail.load(std::memory_order_relaxed); }

  // Whether the consumer has taken all that the calling thread has pushed, and what others have meanwhile.
  bool has_taken_all() const noexcept
  {
    const Position tail = claimed();
    // Pairs with the release in pop(): what the consumer does with the next item that it is given comes
    // behind.
    return consumer_.head.load(std::memory_order_acquire) >= tail;
  }

  // Whether all that producers have claimed is taken: up to this position. For whoever tells them.
  bool is_empty_at(Position& position) const noexcept
  {
    position = claimed();
    // Pairs with the release in pop(), as above.
    return consumer_.head.load(std::memory_order_acquire) == position;
  }

  // How many cells must be taken before half of the ring has room; a hint for a producer that found it full.
  std::uint64_t beyond_half() const noexcept
  {
    // relaxed, both: a producer that acts on the answer claims cells, and that looks again. Of two looks at
    // different times the difference may be negative.
    const Position head = consumer_.head.load(std::memory_order_relaxed);
    const Position full = producers_.tail.load(std::memory_order_relaxed);
    return full > head + capacity / 2 ? full - head - capacity / 2 : 0;
  }

 private:
  // In streams: so many cells ahead a line comes in time; and the longest train of which they come early: a
  // longer one is under way for as long as they take.
  static constexpr std::uint32_t stream_distance = 4, longest_early = 16;

  // How far ahead the consumer reads, once so many cells in turn were there when it looked.
  static constexpr std::uint32_t read_distance = 4, steady = 64;

  struct alignas(64) Cell {
    typename Sys::template atomic<std::uint32_t> turn{0};
    Payload payload;
  };
  // Written by producers, read by producers.
  struct alignas(128) Producers {
    explicit Producers(Position first) noexcept : tail(first), limit(first) {}
    typename Sys::template atomic<Position> tail;
    typename Sys::template atomic<Position> limit;  // a head that some producer has seen
  };
  // The consumer's own; but head is read by producers when their limit is used up. Its line may be theirs
  // while they wait, so front() and pop() only store to it.
  struct alignas(128) Consumer {
    explicit Consumer(Position first) noexcept
        : position(first), next_look(first + steady), claimed(first), head(first)
    {
    }
    Position position;
    Position next_look;  // at tail
    Position claimed;    // the tail that was seen then
    alignas(128) typename Sys::template atomic<Position> head;
  };

  // Large ones are pages that come when they are touched. The machine of the tests makes its objects one by
  // one.
  static auto make_cells()
  {
    if constexpr (std::is_same_v<Sys, Native>)
      return ZeroedArray<Cell>(capacity);
    else
      return std::make_unique<Cell[]>(capacity);
  }

  // Where cells wait, their lines come side by side. One that no producer has claimed yet would only be taken
  // away from it.
  [[gnu::always_inline]] void read_ahead(std::uint32_t distance) noexcept
  {
    const Position wanted = consumer_.position + distance;
    if (wanted >= consumer_.claimed) {
      if (consumer_.position < consumer_.next_look) return;
      // relaxed: a hint; front() finds out what is published.
      consumer_.claimed = producers_.tail.load(std::memory_order_relaxed);
      consumer_.next_look = consumer_.position + steady;
      if (wanted >= consumer_.claimed) return;
    }
    Sys::prefetch_to_read(&cells_[wanted % capacity]);
  }

  // What the cell of a position holds from when it is published until it is published again.
  static std::uint32_t turn_of(Position position) noexcept
  {
    return static_cast<std::uint32_t>(position + 1);
  }

  // The next `cells` positions for the caller alone, with room. False when the ring has less.
  template <class Await>
  [[gnu::always_inline]] bool claim(std::uint32_t cells, Position& position, Await&& await) noexcept
  {
    // acquire pairs with the release in refresh_limit() of whichever producer saw the consumer's head and so
    // hands on its edge: the consumer has read the cells before we write them.
    Position limit = producers_.limit.load(std::memory_order_acquire);
    // relaxed, both: a position carries no data; the cells are handed over by head and turn.
    position = producers_.tail.load(std::memory_order_relaxed);
    if (!has_room_behind(limit, position, cells)) [[unlikely]] {
      limit = refresh_limit(position, cells);
      if (!has_room_behind(limit, position, cells)) return false;
    }
    position = producers_.tail.fetch_add(cells, std::memory_order_relaxed);
    if (!has_room_behind(limit, position, cells)) [[unlikely]]
      await([this, position, cells]() -> std::uint64_t {
        const Position head = refresh_limit(position, cells);
        return has_room_behind(head, position, cells) ? 0 : position + cells - head - capacity;
      });
    return true;
  }

  Cell& claimed(Position position) noexcept
  {
    Cell& cell = cells_[position % capacity];
    // The consumer's edge brought us the turn of the lap before, and only we may change it now.
    invariant_on<Sys>(
        [&] {
          const std::uint32_t turn = cell.turn.load(std::memory_order_relaxed);
          return turn == turn_of(position - capacity) || (turn == 0 && position < capacity);
        },
        "a cell of a ring is filled one lap after it was published (1, 2)");
    return cell;
  }

  template <class Fill>
  [[gnu::always_inline]] void publish(Position position, Fill&& fill) noexcept
  {
    Cell& cell = claimed(position);
    fill(cell.payload);
    // Publishes the payload, and those of the train: pairs with the acquire in front().
    cell.turn.store(turn_of(position), std::memory_order_release);
  }

  static bool has_room_behind(Position head, Position position, std::uint32_t cells) noexcept
  {
    return position + cells <= head + capacity;
  }

  // The consumer's head, which becomes the limit if it gives room for these cells.
  [[gnu::noinline]] Position refresh_limit(Position position, std::uint32_t cells) noexcept
  {
    // Pairs with the release in pop().
    const Position head = consumer_.head.load(std::memory_order_acquire);
    // Hands the edge on to producers that read limit with acquire. A slower producer may set it back to an
    // older head: then somebody looks once more, nothing else.
    if (has_room_behind(head, position, cells)) producers_.limit.store(head, std::memory_order_release);
    return head;
  }

  decltype(make_cells()) cells_;
  Producers producers_;
  Consumer consumer_;
  // Invariant 5: what different sides write lies on lines of their own.
  static_assert(alignof(Cell) == 64 && alignof(Producers) == 128 && alignof(Consumer) == 128);
};

}  // namespace ranklet::memmodel
