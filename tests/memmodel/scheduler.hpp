// A deterministic scheduler that walks through all executions of a few small threads. The structures of
// src/memmodel run on it unchanged through their template parameter Sys = Explored.
//
// A thread is a fiber that stops before each operation on an atomic. The scheduler tries every choice of who
// goes next, depth first, by running the whole scenario again from its start for each execution. A state that
// was met before (what every thread has seen so far, what memory holds, who knows of what) is not continued a
// second time, so the walk is complete for what the memory mode below can express, and ends.
//
// Found are: failed checks, data races between accesses to data<T> (by happens-before through the orders that
// the atomics name, whatever the mode), and states where nobody can go on (a lost wake-up, a deadlock).
// Limits: a futex sleep never times out; read-modify-writes act on the newest value; compare_exchange_weak
// does not fail for no reason; values fit 64 bits.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

namespace ranklet::explore {

enum class Memory {
  interleaved,    // sequentially consistent: a load sees the newest store
  store_buffers,  // x86: stores wait in a FIFO of their thread until the scheduler, a fence or a RMW drains
                  // it
  views,          // C++ orders: a load may see any store that coherence and happens-before leave open, as far
                  // as stale_reads and the newest three stores of a location allow
};

enum class Fences {
  asymmetric,  // light_fence stops the compiler only; heavy_fence acts on every thread (membarrier)
  symmetric,   // both are seq_cst fences of their own thread
};

enum class Access { load, store, update };

struct Options {
  Memory memory = Memory::interleaved;
  Fences fences = Fences::asymmetric;
  // Mutations, to prove that the explorer would notice:
  bool full_fences = true;
  bool light_fences = true;
  bool heavy_fences = true;
  bool wakes = true;  // futex_wake_all wakes
  // The order that an operation gets instead of its own; locations count from 0 in order of construction,
  // those that threads make behind those of the setup.
  std::function<std::memory_order(Access, int location, std::memory_order)> order;

  int stale_reads = 2;  // per thread and execution, in views
  long max_executions = 3'000'000;
  int max_steps = 2'000;
};

struct Outcome {
  long executions = 0;  // runs of the scenario, those included that were cut at a known state
  long completed = 0;   // runs to the end, with their final checks
  long states = 0;      // states with more than one way to go on
  bool exhausted = false;
  std::string failure;  // empty when all is well; else the reason, then the steps that lead to it
};

// What the setup of a scenario gets: it builds the shared objects anew and names the threads.
class Scenario {
 public:
  // At most max_threads. The body owns nothing on its stack that needs a destructor (it may be abandoned).
  void thread(std::function<void()> body);
  // Runs when all threads have ended; sees all that they did.
  void finally(std::function<void()> check);
};

Outcome explore(const Options& options, const std::function<void(Scenario&)>& setup);

inline constexpr int max_threads = 4;
inline constexpr int max_locations = 28;

namespace engine {
enum class Update { exchange, add, set_bits, keep_bits, compare };
int new_location(std::uint64_t value, std::uint64_t mask);
std::uint64_t load(int location, std::memory_order order);
void store(int location, std::uint64_t value, std::memory_order order);
// Returns the value before. `compare` writes operand only if that is `expected`.
std::uint64_t update(int location, Update kind, std::uint64_t operand, std::uint64_t expected,
                     std::memory_order order);
int new_datum();
void touch(int datum, bool write, std::uint64_t value);
void pass();
void full_fence();
void light_fence();
void heavy_fence();
void futex_wait(int location, std::uint64_t expected);
void futex_wake_all(int location);
void check(bool condition, const char* what);
// A turn of a waiting loop: begun by an attempt, ended by a pass that forgets it. Locks in it may pass, too.
struct Turn {
  std::uint64_t history;
  std::uint64_t others;  // what they had changed
  int stale_left;
};
Turn begin_turn();
void end_turn(const Turn& turn);
}  // namespace engine

struct Explored {
  template <class T>
  class atomic {
    static_assert(sizeof(T) <= 8 && std::is_integral_v<T>);

   public:
    explicit(false) atomic(T value = T{})
        : location_(engine::new_location(bits(value), bits(static_cast<T>(-1))))
    {
    }
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order order) const noexcept { return value(engine::load(location_, order)); }
    void store(T desired, std::memory_order order) noexcept
    {
      engine::store(location_, bits(desired), order);
    }
    T exchange(T desired, std::memory_order order) noexcept
    {
      return value(engine::update(location_, engine::Update::exchange, bits(desired), 0, order));
    }
    T fetch_add(T amount, std::memory_order order) noexcept
    {
      return value(engine::update(location_, engine::Update::add, bits(amount), 0, order));
    }
    T fetch_sub(T amount, std::memory_order order) noexcept
    {
      return fetch_add(static_cast<T>(T{} - amount), order);
    }
    T fetch_or(T amount, std::memory_order order) noexcept
    {
      return value(engine::update(location_, engine::Update::set_bits, bits(amount), 0, order));
    }
    T fetch_and(T mask, std::memory_order order) noexcept
    {
      return value(engine::update(location_, engine::Update::keep_bits, bits(mask), 0, order));
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                 std::memory_order /*failure*/) noexcept
    {
      const T before =
          value(engine::update(location_, engine::Update::compare, bits(desired), bits(expected), success));
      const bool same = before == expected;
      expected = before;
      return same;
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) noexcept
    {
      return compare_exchange_strong(expected, desired, success, failure);
    }

    int location() const noexcept { return location_; }

   private:
    static std::uint64_t bits(T value) noexcept { return static_cast<std::make_unsigned_t<T>>(value); }
    static T value(std::uint64_t bits) noexcept { return static_cast<T>(bits); }

    int location_;
  };

  static void pause() noexcept { engine::pass(); }
  static void yield() noexcept { engine::pass(); }
  // A hint changes no execution.
  static void prefetch_to_write(const void*) noexcept {}
  static void pass_on(const void*) noexcept {}
  static void prefetch_to_read(const void*) noexcept {}
  template <class T>
  static T fence_and_add(atomic<T>& word, T amount) noexcept
  {
    engine::full_fence();
    return word.fetch_add(amount, std::memory_order_release);
  }
  static void light_fence() noexcept { engine::light_fence(); }
  static void heavy_fence() noexcept { engine::heavy_fence(); }
  static void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected, int /*max_ms*/) noexcept
  {
    engine::futex_wait(word.location(), expected);
  }
  static void futex_wake_all(atomic<std::uint32_t>& word) noexcept
  {
    engine::futex_wake_all(word.location());
  }

  // A plain variable: two accesses of different threads, one of them a write, that happens-before does not
  // order, are reported as a data race.
  template <class T>
  class data {
   public:
    data() : datum_(engine::new_datum()) {}
    void set(T value)
    {
      engine::touch(datum_, true, static_cast<std::uint64_t>(value));
      value_ = value;
    }
    T get() const
    {
      engine::touch(datum_, false, static_cast<std::uint64_t>(value_));
      return value_;
    }

   private:
    T value_{};
    int datum_;
  };

  // Ends the execution and the walk with a failure unless the condition holds.
  static void check(bool condition, const char* what) { engine::check(condition, what); }

  // Waits until attempt() is true by trying again whenever another thread has changed something. A failed
  // attempt must leave no trace in the thread's own variables.
  template <class Attempt>
  static void await(Attempt&& attempt)
  {
    for (;;) {
      const engine::Turn turn = engine::begin_turn();
      if (attempt()) return;
      engine::end_turn(turn);
    }
  }
};

}  // namespace ranklet::explore
