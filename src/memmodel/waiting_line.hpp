// Items that one side lines up by two stores, and that the other takes when it has need of them. A rank's new
// receives stand here until a message finds no other one.
//
// Thread safety: open(), is_open(), try_post() and is_wanted_at_once() by one thread at a time, the poster;
// first(), pop() and want() by another at a time, the taker, by an edge of its own (a Token);
// looks_wanted() by any thread.
// Invariants:
//  1. Items come out in the order in which they were posted, each once, as they were posted.
//  2. When an item is posted while the taker begins to want one at once and finds none, the poster sees that,
//     or the taker sees the item. The fence that this store-buffering shape needs is paid by the taker; the
//     poster pays none.
//  3. looks_wanted() is true while an item is here and one is wanted; a taker that has made it true wakes the
//     poster's side, as far as that sleeps.
//  4. Who has wanted one at once often does so again, and the fence interrupts all cores: the wish stays for
//     `lasting` calls of want_none(), and as long the poster sees to its items itself.
#pragma once

#include <array>
#include <cstdint>

#include "memmodel/native.hpp"

namespace ranklet::memmodel {

// How soon the taker wants what it has found missing.
enum class Wanted : std::uint32_t {
  never,
  at_leisure,  // when the poster's side waits for it
  at_once      // though the poster's side may be gone for long
};

// Place holds a T*; the tests have one that finds races.
template <class T, std::uint32_t capacity, class Sys = Native, class Place = T*>
class WaitingLine {
  static_assert((capacity & (capacity - 1)) == 0, "numbers wrap at 2^32");

 public:
  // Before the first try_post().
  void open() noexcept
  {
    // relaxed: the fence orders it.
    open_.store(1, std::memory_order_relaxed);
    // Against light_fence() in want(): the taker sees that this is open, or we see what it wants.
    Sys::heavy_fence();
  }
  // relaxed: only those who post open it.
  bool is_open() const noexcept { return open_.load(std::memory_order_relaxed) != 0; }

  // False, with nothing done, when there is no room.
  bool try_post(T& item) noexcept
  {
    // relaxed: we wrote it last.
    const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
    // Pairs with the release in pop(): the place was read before we write it.
    if (tail - head_.load(std::memory_order_acquire) == capacity) [[unlikely]]
      return false;
    places_[tail % capacity] = &item;
    // Publishes the place and the item: pairs with the acquire in first().
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  // After try_post(): whether the poster has to see to it that items are taken now.
  bool is_wanted_at_once() const noexcept
  {
    // Orders the store of tail before the load, against heavy_fence() in want().
    Sys::light_fence();
    // relaxed: who sees to it becomes the taker, and knows by that why.
    return wanted_.load(std::memory_order_relaxed) == static_cast<std::uint32_t>(Wanted::at_once);
  }

  // A hint for threads that wait.
  bool looks_wanted() const noexcept
  {
    // relaxed, all: who acts on the answer becomes the taker and looks again.
    return wanted_.load(std::memory_order_relaxed) != static_cast<std::uint32_t>(Wanted::never) &&
           head_.load(std::memory_order_relaxed) != tail_.load(std::memory_order_relaxed);
  }

  // The oldest item, or null.
  T* first() const noexcept
  {
    // relaxed: the last taker wrote it. acquire pairs with the release in try_post().
    const std::uint32_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return nullptr;
    return places_[head % capacity];
  }

  void pop() noexcept
  {
    invariant_on<Sys>([&] { return first() != nullptr; }, "an item comes out of a line once (1)");
    // relaxed load: as in first(). Pairs with the acquire in try_post().
    head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  // Behind a look that has found no item. alone: nobody posts meanwhile, as on the poster's thread. True:
  // items have come, and the taker looks again.
  bool want(Wanted how, bool alone) noexcept
  {
    if (how == Wanted::at_once) stays_ = lasting;
    // relaxed, here and below: the last taker wrote it.
    if (wanted_.load(std::memory_order_relaxed) >= static_cast<std::uint32_t>(how)) return false;
    wanted_.store(static_cast<std::uint32_t>(how), std::memory_order_relaxed);
    if (how != Wanted::at_once || alone) return false;
    // Against heavy_fence() in open().
    Sys::light_fence();
    // relaxed: the fences order it.
    if (open_.load(std::memory_order_relaxed) == 0) return false;
    // Orders the store of wanted_ before the look, against light_fence() in is_wanted_at_once().
    Sys::heavy_fence();
    return first() != nullptr;
  }
  void want_none() noexcept
  {
    if (stays_ > 0) {
      --stays_;
      return;
    }
    wanted_.store(static_cast<std::uint32_t>(Wanted::never), std::memory_order_relaxed);
  }

 private:
  template <class U>
  using atomic = typename Sys::template atomic<U>;

  static constexpr std::uint32_t lasting = 16;

  // Written by the taker, and rarely.
  alignas(64) atomic<std::uint32_t> wanted_{0};
  std::uint32_t stays_ = 0;  // for so many calls of want_none()
  atomic<std::uint32_t> open_{0};
  // Mostly one thread is poster and taker.
  alignas(64) atomic<std::uint32_t> tail_{0};
  atomic<std::uint32_t> head_{0};
  std::array<Place, capacity> places_{};
};

}  // namespace ranklet::memmodel
