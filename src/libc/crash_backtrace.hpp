// The calls that led to a fault, from inside the signal handler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ranklet::loader {

struct Frames {
  static constexpr std::size_t capacity = 48;
  std::array<const void*, capacity> address{};  // of the instruction that faulted, then of the calls
  std::size_t count = 0;
};

// From the place that the signal interrupted (a ucontext_t) outwards. Allocates nothing and takes no lock.
// After a call of something that is no code, changes the context to just behind that call: the handler cannot
// return any more.
void collect_frames(Frames& frames, void* context) noexcept;

std::uintptr_t stack_pointer_of(const void* context) noexcept;

// Whether the code is the C library's.
bool is_inside_libc(const void* address) noexcept;

}  // namespace ranklet::loader
