// Where in the user's source an address of code lies: for error messages and crash reports.
//
// Works from the symbol tables and debug information of the files that the code was loaded from (libdw).
// Lookups are lazy and cached: the first one in a file reads its debug information (milliseconds), the same
// address again costs a table lookup. Never contacts a network. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ranklet {

struct SourceLocation {
  std::string function;       // demangled; empty if unknown
  std::string file;           // as the compiler recorded it; empty without debug information
  int line = 0;               // 0 without debug information
  std::string module;         // path of the program or library
  std::uintptr_t offset = 0;  // of the address in the module, as objdump and addr2line count
};

// What is at this address; nothing if no loaded object contains it. For the place of a call give its return
// address minus one.
std::optional<SourceLocation> source_location(const void* address);

// "solve.c:42": the file without its folders; nothing without debug information.
std::optional<std::string> source_line(const void* address);

// "solve() at solve.c:42", "solve() in libx.so+0x1234" or "0x7f…", whatever is known.
std::string describe_code(const void* address);

// The same for the return address of a call; null: the call was made at the end of a rank's function.
std::string describe_call_site(const void* return_address);

}  // namespace ranklet
