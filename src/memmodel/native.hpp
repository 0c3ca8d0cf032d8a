// What the lock-free structures of this folder need from the machine, as one type. They take it as a template
// parameter `Sys`, so that the same source runs in production on `Native` and in the tests on a scheduler
// that walks through all interleavings (tests/memmodel/scheduler.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/invariant.hpp"

namespace ranklet::memmodel {

struct Native {
  template <class T>
  using atomic = std::atomic<T>;

  // Tells the core that this is a spin loop.
  static void pause() noexcept
  {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("yield" ::: "memory");
#endif
  }
  static void yield() noexcept;

  static void fence(std::memory_order order) noexcept
  {
#if defined(__x86_64__)
    // What the compilers make of it locks the word at the stack pointer, which mostly is the return address
    // that the call has just stored: the lock waits for that store. This word is nobody's (and if it is, it
    // stays as it is).
    if (order == std::memory_order_seq_cst) {
      asm volatile("lock orl $0, -64(%%rsp)" ::: "memory", "cc");
      return;
    }
#endif
    std::atomic_thread_fence(order);
  }

  // fence(seq_cst), then word.fetch_add(amount, release).
  static std::uint64_t fence_and_add(std::atomic<std::uint64_t>& word, std::uint64_t amount) noexcept
  {
#if defined(__x86_64__)
    // An instruction that locks is a full fence, before it and after it: the one above, on another word.
    asm volatile("lock xaddq %1, %0" : "+m"(word), "+r"(amount) : : "memory", "cc");
    return amount;
#else
    fence(std::memory_order_seq_cst);
    return word.fetch_add(amount, std::memory_order_release);
#endif
  }

  // Brings a cache line here that this thread will soon write. A hint: nothing is read or written.
  [[gnu::always_inline]] static void prefetch_to_write(const void* line) noexcept
  {
#if defined(__x86_64__)
    // The compilers' builtin makes an ordinary prefetch of it on the baseline.
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
    __builtin_prefetch(line, 1);
#endif
  }

  // The same for a line that will be read: several lines come at once, as loads behind a use of each would
  // not. Inlined before g++ finds that the function has no effect, and drops calls of it.
  [[gnu::always_inline]] static void prefetch_to_read(const void* line) noexcept
  {
    __builtin_prefetch(line, 0);
  }

  // Of a line that this thread has written, and another core reads next: hands it on to the caches that both
  // share, where there are such and the processor can, from where it comes in half the time. Whoever writes
  // it again has to fetch it from there. A hint, and no instruction at all for processors that do not know
  // it.
  [[gnu::always_inline]] static void pass_on(const void* line) noexcept
  {
#if defined(__x86_64__)
    asm volatile("cldemote %0" : : "m"(*static_cast<const char*>(line)));
#else
    static_cast<void>(line);
#endif
  }

  // The same of so many bytes.
  static void pass_on(const void* data, std::size_t bytes) noexcept
  {
    const auto* const at = static_cast<const char*>(data);
    for (std::size_t i = 0; i < bytes; i += 64) pass_on(at + i);
  }

  // One side of an asymmetric pair of fences: together they order the store before light_fence() in one
  // thread and the load after it against the store before heavy_fence() in another and the load after that,
  // as two seq_cst fences would (the store-buffering shape: not both loads may miss). light_fence() is on the
  // hot path and only stops the compiler; heavy_fence() makes every running thread of the process pass a full
  // fence by membarrier(2). Where the kernel refuses membarrier both are seq_cst fences.
  static void light_fence() noexcept
  {
    if (asymmetric) [[likely]]
      std::atomic_signal_fence(std::memory_order_seq_cst);
    else
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  static void heavy_fence() noexcept;

  // Sleeps while word == expected, at most max_ms milliseconds; may wake for no reason.
  static void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, int max_ms) noexcept;
  static void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept;

 private:
  static const bool asymmetric;  // set before main, when membarrier is registered
};

// An invariant whose condition loads atomics. Only on the real machine: on the scheduler of the tests each
// load would be one more step to interleave. Such loads are relaxed; each says why it cannot see an older
// value.
template <class Sys, class Condition>
void invariant_on(Condition&& holds, const char* text, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE())
{
  if constexpr (std::is_same_v<Sys, Native>) invariant(std::forward<Condition>(holds), text, file, line);
}

template <class Sys, class Condition>
void full_invariant_on(Condition&& holds, const char* text, const char* file = __builtin_FILE(),
                       int line = __builtin_LINE())
{
  if constexpr (std::is_same_v<Sys, Native>) full_invariant(std::forward<Condition>(holds), text, file, line);
}

}  // namespace ranklet::memmodel
