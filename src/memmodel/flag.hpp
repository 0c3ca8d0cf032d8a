// Words through which one thread tells others that something is done.
#pragma once

#include <cstdint>

#include "base/guarded.hpp"
#include "memmodel/native.hpp"

namespace ranklet::memmodel {

// A one-way switch that its owner may set back while nobody else uses it.
template <class Sys = Native>
class Flag {
 public:
  // Publishes all that the caller did before: pairs with the acquire in is_set().
  void set() noexcept { word_.store(1, std::memory_order_release); }
  bool is_set() const noexcept { return word_.load(std::memory_order_acquire) != 0; }
  // relaxed is enough: only for a flag that no other thread refers to, handed to others by an edge of its
  // own.
  void reset() noexcept { word_.store(0, std::memory_order_relaxed); }
  // True for exactly one caller; that one also sees what earlier setters published.
  bool set_first() noexcept { return word_.exchange(1, std::memory_order_acq_rel) == 0; }

 private:
  typename Sys::template atomic<std::uint32_t> word_{0};
};

// A number that its one writer only increases, to announce that its step n is done.
template <class Sys = Native>
class Sequence {
 public:
  // Publishes all that the writer did before: pairs with the acquire in value().
  void publish(std::uint64_t value) noexcept { word_.store(value, std::memory_order_release); }
  std::uint64_t value() const noexcept { return word_.load(std::memory_order_acquire); }

 private:
  typename Sys::template atomic<std::uint64_t> word_{0};
};

// A small value of which the latest counts, written and read by any thread.
template <class T, class Sys = Native>
class Latest {
 public:
  explicit Latest(T first = {}) noexcept : value_(first) {}
  // Publishes all that the writer did before: pairs with the acquire in get().
  void set(T value) noexcept { value_.store(value, std::memory_order_release); }
  T get() const noexcept { return value_.load(std::memory_order_acquire); }

 private:
  typename Sys::template atomic<T> value_;
};

// A count to which many add; the one who completes it sees what all others did before they added.
template <class Sys = Native>
class Counter {
 public:
  explicit Counter(std::int64_t start = 0) noexcept : word_(start) {}
  // acq_rel: the release half publishes the caller's work, the acquire half shows it that of earlier callers.
  std::int64_t add(std::int64_t amount) noexcept
  {
    return word_.fetch_add(amount, std::memory_order_acq_rel) + amount;
  }
  std::int64_t value() const noexcept { return word_.load(std::memory_order_acquire); }
  // relaxed is enough: only while no other thread refers to it, handed to others by an edge of its own.
  void restart(std::int64_t start) noexcept { word_.store(start, std::memory_order_relaxed); }
  // Takes the next number, or the next ones, where only their uniqueness matters. Returns the first.
  std::int64_t take(std::int64_t amount = 1) noexcept
  {
    return word_.fetch_add(amount, std::memory_order_relaxed);
  }

 private:
  typename Sys::template atomic<std::int64_t> word_;
};

// Where two sides come once in every round, in any order; each round begins when both have left the last one.
// The side that comes second goes on with what both have prepared.
template <class Sys = Native>
class Meeting {
 public:
  enum class Arrival { first, second, again };

  // side: 0 or 1. odd: whether the number of the caller's round is odd; the first round is number 1. `again`:
  // the side has come before in this round; nothing has changed.
  Arrival arrive(unsigned side, bool odd) noexcept
  {
    const std::uint32_t mine = 1u << side;
    // acq_rel: the release half publishes what this side has prepared; the acquire half pairs with that of
    // the other side's arrival, if it came before.
    const std::uint32_t before = odd ? word_.fetch_or(mine, std::memory_order_acq_rel)
                                     : word_.fetch_and(~mine, std::memory_order_acq_rel);
    const auto is_here = [&](std::uint32_t bit) { return ((before & bit) != 0) == odd; };
    if (is_here(mine)) return Arrival::again;
    return is_here(mine ^ 3u) ? Arrival::second : Arrival::first;
  }

 private:
  typename Sys::template atomic<std::uint32_t> word_{
      0};  // bit `side` is the oddness of the side's last round
};

// For the short critical sections of paths that are not hot, and for ranks at MPI_THREAD_MULTIPLE:
// BasicLockable.
template <class Sys = Native>
class RANKLET_LOCK SpinLock {
 public:
  void lock() noexcept RANKLET_ACQUIRES()
  {
    // acquire pairs with the release in unlock().
    if (word_.exchange(1, std::memory_order_acquire) != 0) [[unlikely]]
      wait();
  }
  void unlock() noexcept RANKLET_RELEASES()
  {
    // Our own exchange wrote the word last.
    invariant_on<Sys>([&] { return word_.load(std::memory_order_relaxed) == 1; },
                      "only the holder unlocks a lock");
    word_.store(0, std::memory_order_release);
  }

 private:
  // Apart, so that callers need no room for it.
  [[gnu::cold, gnu::noinline]] void wait() noexcept
  {
    int tries = 0;
    do {
      // relaxed: a look; the exchange below takes the lock.
      while (word_.load(std::memory_order_relaxed) != 0) {
        if (++tries < 64)
          Sys::pause();
        else
          Sys::yield();
      }
      // acquire, as in lock().
    } while (word_.exchange(1, std::memory_order_acquire) != 0);
  }

  typename Sys::template atomic<std::uint32_t> word_{0};
};

}  // namespace ranklet::memmodel
