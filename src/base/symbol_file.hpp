// The symbols and debug information of one file with code. For the other files of this folder that look
// things up in what is loaded: source_line.cpp, variables.cpp.
//
// Thread safety: with_symbol_file() lets one thread in.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/source_line.hpp"

namespace ranklet {

// All images of a program share it: it is asked by offset in the file.
class SymbolFile {
 public:
  explicit SymbolFile(const std::string& path);

  // What is at location.offset.
  void find(SourceLocation& location) const;

  // Null: nothing is known of the file.
  Dwfl_Module* module() const { return module_; }
  // Where libdw believes the file's first byte to be: addresses that it is given and gives are from here.
  static constexpr GElf_Addr place = 0x10000000;  // not 0, which lets libdw choose
  // The compilation unit of an address, and what its addresses are less than such; null if there is none.
  Dwarf_Die* unit_of(GElf_Addr address, Dwarf_Addr& bias) const;

 private:
  std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl_;
  Dwfl_Module* module_ = nullptr;
};

// A symbol as C++ spells it.
std::string demangled(const char* name);

// An address of a loaded object, and where it is in the file.
struct PlaceInFile {
  std::string path;
  std::uintptr_t offset;
};

// Calls function(file, place) for the file that the loaded object at this address comes from; false if there
// is none. Takes no lock of the dynamic linker.
bool with_symbol_file(const void* address,
                      const std::function<void(SymbolFile&, const PlaceInFile&)>& function);

}  // namespace ranklet
