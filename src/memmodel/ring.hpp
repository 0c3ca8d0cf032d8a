// A bounded queue of 64-byte cells from many producers to one consumer at a time: a rank's mailbox.
//
// Thread safety: any thread may push. Only one thread at a time may use front/pop; the right to do so moves
// from thread to thread with an edge of its own (a Token). Invariants:
//  1. A producer owns the cell of position p from its successful step of tail_ from p to p+1 until it stores
//     turn = p+1; the consumer owns it from when it sees turn == p+1 until it stores head_ = p+1.
//  2. head_ <= tail_ <= head_ + capacity, in the arithmetic of positions modulo 2^32.
//  3. Cells come out in the order of their positions; what one thread pushes comes out in the order it was
//  pushed.
//  4. In the flow from one producer to the consumer only the cell's line moves between their caches: tail_
//  and the
//     cached limit_ stay with the producers, head_ is read by producers once in `capacity` messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "memmodel/native.hpp"

namespace ranklet::memmodel {

template <class Payload, std::uint32_t capacity, class Sys = Native>
class Ring {
  static_assert((capacity & (capacity - 1)) == 0, "positions wrap at 2^32");
  static_assert(std::is_trivially_destructible_v<Payload>);

 public:
  Ring() : cells_(std::make_unique<Cell[]>(capacity)) {}

  // Calls fill(payload) on a cell and publishes it. False, with nothing done, when the ring is full.
  template <class Fill>
  bool try_push(Fill&& fill) noexcept
  {
    // relaxed: the position carries no data; the cell is handed over by head_ and turn.
    std::uint32_t position = producers_.tail.load(std::memory_order_relaxed);
    do {
      // acquire pairs with the release in refresh_limit() of whichever producer saw the consumer's head_ and
      // so hands on its edge: the consumer has read the cell before we write it.
      if (position - producers_.limit.load(std::memory_order_acquire) >= capacity) [[unlikely]] {
        if (!refresh_limit(position)) return false;
      }
    } while (!producers_.tail.compare_exchange_weak(position, position + 1, std::memory_order_relaxed,
                                                    std::memory_order_relaxed));
    Cell& cell = cells_[position % capacity];
    fill(cell.payload);
    // Publishes the payload: pairs with the acquire in front().
    cell.turn.store(position + 1, std::memory_order_release);
    return true;
  }

  // The oldest published cell, or null. Consumer only.
  Payload* front() noexcept
  {
    const std::uint32_t position = consumer_.position;
    Cell& cell = cells_[position % capacity];
    // Pairs with the release in try_push(): the payload is visible.
    return cell.turn.load(std::memory_order_acquire) == position + 1 ? &cell.payload : nullptr;
  }

  // Gives the cell of front() back to the producers. Consumer only.
  void pop() noexcept
  {
    ++consumer_.position;
    // Pairs with the acquire in refresh_limit(): our reads of the cell come before its reuse.
    consumer_.head.store(consumer_.position, std::memory_order_release);
  }

  // Whether something waits to be taken; a hint for threads that do not consume (see Parking for the fence
  // that makes it a reliable one).
  bool looks_nonempty() const noexcept
  {
    const std::uint32_t position = consumer_.head.load(std::memory_order_relaxed);
    // relaxed: who acts on the answer becomes the consumer first and looks again with front().
    return cells_[position % capacity].turn.load(std::memory_order_relaxed) == position + 1;
  }

 private:
  struct alignas(64) Cell {
    typename Sys::template atomic<std::uint32_t> turn{0};
    Payload payload;
  };
  // Written by producers, read by producers.
  struct alignas(128) Producers {
    typename Sys::template atomic<std::uint32_t> tail{0};
    typename Sys::template atomic<std::uint32_t> limit{0};  // a head_ that some producer has seen
  };
  // Written by the consumer; head is read by producers when their limit is used up.
  struct alignas(128) Consumer {
    std::uint32_t position = 0;
    typename Sys::template atomic<std::uint32_t> head{0};
  };

  [[gnu::noinline]] bool refresh_limit(std::uint32_t position) noexcept
  {
    // Pairs with the release in pop().
    const std::uint32_t head = consumer_.head.load(std::memory_order_acquire);
    // Hands the edge on to producers that read limit with acquire. A slower producer may set it back to an
    // older head: then somebody refreshes once more, nothing else.
    producers_.limit.store(head, std::memory_order_release);
    // position may be older than head when others were fast: then the step of tail fails and we come again.
    return static_cast<std::int32_t>(position - head) < static_cast<std::int32_t>(capacity);
  }

  std::unique_ptr<Cell[]> cells_;
  Producers producers_;
  Consumer consumer_;
};

}  // namespace ranklet::memmodel
