// The program's variables: what lies at an address, by the symbol tables and the debug information of the
// files that are loaded. For checks of buffers against the memory that they lie in.
//
// Not async-signal-safe. Thread-safe. The first lookup in a file reads its symbols, the first one in a
// function its debug information (milliseconds); others cost a few microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ranklet {

struct Variable {
  std::string name;
  std::uintptr_t begin = 0;
  std::size_t size = 0;  // bytes; never 0
};

// The largest one with this byte: of static storage, which the symbol table tells, or on the calling thread's
// stack, where debug information has its place and size. Nothing: not known, as of memory on the heap, arrays
// of variable length and what the compiler has split or moved.
std::optional<Variable> find_variable(std::uintptr_t address);

}  // namespace ranklet
