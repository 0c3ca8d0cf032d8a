// What the structures of src/memmodel and src/members need from the machine, on the one that is simulated.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "memmodel/native.hpp"
#include "simulation.hpp"

namespace ranklet::model {

struct Simulated {
  // A word as large as it is on the real machine, so that objects have their lines.
  template <class T>
  class Word {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);

   public:
    explicit(false) Word(T value = T{}) : value_(value) {}
    Word(const Word&) = delete;
    Word& operator=(const Word&) = delete;

    T get() const
    {
      std::uint64_t stored = 0;
      if (!Simulation::runs() || !Simulation::current().read(&value_, stored)) return value_;
      T value;
      std::memcpy(&value, &stored, sizeof value);
      return value;
    }
    void set(T value)
    {
      if (!Simulation::runs()) {
        value_ = value;
        return;
      }
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof value);
      Simulation::current().write(&value_, bits, sizeof value);
    }
    // change(value): what a read-modify-write makes of it. Returns the value before.
    template <class Change>
    T update(Change&& change)
    {
      if (Simulation::runs()) Simulation::current().own(&value_);
      const T before = value_;
      value_ = change(before);
      return before;
    }

    // What follows reads where it says.
    T get_address() const
    {
      const T value = get();
      if (Simulation::runs()) Simulation::current().follow(&value_);
      return value;
    }

   private:
    T value_;
  };

  // Plain data.
  template <class T>
  using data = Word<T>;

  // The orders are those of x86: each store releases and each load acquires.
  template <class T>
  class atomic {
   public:
    explicit(false) atomic(T value = T{}) : word_(value) {}

    T load(std::memory_order) const noexcept
    {
      const T value = word_.get();
      if (Simulation::runs()) Simulation::current().look();
      return value;
    }
    void store(T desired, std::memory_order) noexcept { word_.set(desired); }
    T exchange(T desired, std::memory_order) noexcept
    {
      return word_.update([&](T) { return desired; });
    }
    T fetch_add(T amount, std::memory_order) noexcept
    {
      return word_.update([&](T before) { return static_cast<T>(before + amount); });
    }
    T fetch_sub(T amount, std::memory_order) noexcept
    {
      return word_.update([&](T before) { return static_cast<T>(before - amount); });
    }
    T fetch_or(T bits, std::memory_order) noexcept
    {
      return word_.update([&](T before) { return static_cast<T>(before | bits); });
    }
    T fetch_and(T bits, std::memory_order) noexcept
    {
      return word_.update([&](T before) { return static_cast<T>(before & bits); });
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order) noexcept
    {
      const T wanted = expected;
      expected = word_.update([&](T before) { return before == wanted ? desired : before; });
      return expected == wanted;
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) noexcept
    {
      return compare_exchange_strong(expected, desired, success, failure);
    }

   private:
    Word<T> word_;
  };

  static void pause() noexcept { Simulation::current().pause(); }
  static void yield() noexcept { Simulation::current().yield(); }
  static void fence(std::memory_order order) noexcept
  {
    if (order == std::memory_order_seq_cst) Simulation::current().fence();
  }
  // As on x86.
  static std::uint64_t fence_and_add(atomic<std::uint64_t>& word, std::uint64_t amount) noexcept
  {
    return word.fetch_add(amount, std::memory_order_seq_cst);
  }
  static void prefetch_to_write(const void* line) noexcept { Simulation::current().prefetch_to_write(line); }
  static void pass_on(const void*) noexcept {}  // what it saves differs by processor
  static void prefetch_to_read(const void* line) noexcept { Simulation::current().prefetch_to_read(line); }
  static void light_fence() noexcept {}
  static void heavy_fence() noexcept { Simulation::current().membarrier(); }
  // Nobody sleeps: ranks have cores of their own.
  static void futex_wait(atomic<std::uint32_t>&, std::uint32_t, int) noexcept { yield(); }
  static void futex_wake_all(atomic<std::uint32_t>&) noexcept {}
};

static_assert(sizeof(Simulated::atomic<std::uint32_t>) == 4 && sizeof(Simulated::atomic<std::uint64_t>) == 8);

// What the subjects need beside that, on either machine.
template <class Sys>
struct On;

template <>
struct On<Simulated> {
  template <class T>
  using data = Simulated::data<T>;
  template <class Done>
  static void await(Done&& done)
  {
    Simulation::current().await(done);
  }
  // Without a pause.
  template <class Done>
  static void stare(Done&& done)
  {
    Simulation::current().await(done, 0);
  }
};

template <>
struct On<memmodel::Native> {
  template <class T>
  class data {
   public:
    explicit(false) data(T value = T{}) : value_(value) {}
    // Also where nobody uses the value.
    T get() const { return *const_cast<const volatile T*>(&value_); }
    T get_address() const { return get(); }
    void set(T value) { value_ = value; }

   private:
    T value_;
  };
  template <class Done>
  static void await(Done&& done)
  {
    while (!done()) memmodel::Native::pause();
  }
  template <class Done>
  static void stare(Done&& done)
  {
    while (!done()) {
    }
  }
};

}  // namespace ranklet::model
