// ThreadSanitizer's runtime, where it watches the program but not this library: what MPI does is told to it
// in its own terms, accesses to memory and what orders them. Without the runtime
// (threads_are_watched() is false) nothing here may be called.
//
// A thread tells what happens in itself, or in a fiber: for the runtime a thread of its own, which
// the calling thread is between switch_to() and switching back. No order comes from switching.
//
// Thread safety: any threads; one at a time in a fiber.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ranklet::races {

using Fiber = void*;

// Begins after what its maker has done. The name appears in the runtime's own reports; it is copied.
Fiber make_fiber(const char* name) noexcept;
void destroy_fiber(Fiber fiber) noexcept;
Fiber current_fiber() noexcept;
void switch_to(Fiber fiber) noexcept;

// All that is done before order_from() comes before all that follows a later order_to() with that address.
void order_from(const void* token) noexcept;
void order_to(const void* token) noexcept;

// Nothing is seen of the thread until end_unseen(): neither what it accesses nor what its locks order.
// Nests.
void begin_unseen() noexcept;
void end_unseen() noexcept;

// Stands for the place of an access in reports, where other accesses have an address of code.
using Label = std::uintptr_t;
// That bit is never set in an address of code; the runtime leaves such places to us.
inline constexpr Label label_bit = Label{1} << 60;

void access(std::uintptr_t begin, std::size_t bytes, bool written, Label label) noexcept;
// One atomic access, which writes nothing new. bytes: 1, 2, 4 or 8, to which the address is aligned.
void atomic_access(std::uintptr_t address, std::size_t bytes, bool written, Label label) noexcept;

// Two accesses that nothing orders, as the runtime has found them: the later one first.
struct Race {
  struct Side {
    std::uintptr_t address = 0;
    int bytes = 0;
    bool written = false;
    bool atomic = false;
    // Addresses of code and labels, from the inside out; 0 behind the last one.
    std::array<std::uintptr_t, 12> stack{};
    std::array<char, 24> thread{};  // its name
    Label label() const noexcept
    {
      for (const std::uintptr_t place : stack)
        if (place & label_bit) return place;
      return 0;
    }
  };
  std::array<Side, 2> sides;
};

// In the runtime's hook: takes a report of it apart. False: it is of another kind.
bool read_report(const void* report, Race& race) noexcept;

}  // namespace ranklet::races
