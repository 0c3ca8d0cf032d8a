// Where a function keeps its variables in its frame, by the debug information of its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ranklet {

// A place in a frame: so much above one of these.
enum class Anchor { none, canonical_frame_address, frame_pointer, stack_pointer };
struct FramePlace {
  Anchor anchor = Anchor::none;
  std::int64_t offset = 0;
};

struct FrameVariable {
  std::string name;
  FramePlace place;
  std::size_t size;
};

// The registers' numbers in debug information and for the unwinder (System V ABI for x86-64).
inline constexpr int frame_pointer_number = 6;
inline constexpr int stack_pointer_number = 7;

// Of the frame that is in this code, whose call returns to `code` + 1: those that lie in memory at a place
// which does not depend on more. Thread-safe; what was read once is kept.
std::vector<FrameVariable> variables_at(const void* code);

}  // namespace ranklet
