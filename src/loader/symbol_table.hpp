// The dynamic symbols of one object, on disk or loaded, found by name and version as the ELF gABI and the GNU
// hash and version extensions say.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace ranklet::loader {

class ElfFile;

// A name to look for, hashed once for all objects.
struct SymbolName {
  explicit SymbolName(const char* symbol, const char* wanted_version = nullptr) noexcept;

  const char* text;
  const char* version;  // nullptr: the default version
  std::uint32_t gnu_hash;
  std::uint32_t hash;
  // Accept a symbol without definition but with a value: a function's canonical address in an executable's
  // procedure linkage table, to which all address constants but no jump slots are bound.
  bool accept_plt_address = false;
};

class SymbolTable {
 public:
  SymbolTable() = default;
  explicit SymbolTable(const ElfFile& file);     // refers to the file's bytes
  explicit SymbolTable(const link_map& loaded);  // an object that the dynamic loader has loaded

  // The definition (not local, not undefined) that matches, or nullptr.
  const Elf64_Sym* find(const SymbolName& name) const noexcept;

  const Elf64_Sym& symbol(std::size_t index) const noexcept { return symbols_[index]; }
  const char* name_of(const Elf64_Sym& symbol) const noexcept { return strings_ + symbol.st_name; }
  // The version that a reference or definition carries; nullptr if none.
  const char* version_of(std::size_t index) const noexcept;

 private:
  void read_versions(const Elf64_Verdef* defined, const Elf64_Verneed* needed);
  bool matches(std::size_t index, const SymbolName& name) const noexcept;

  const Elf64_Sym* symbols_ = nullptr;
  const char* strings_ = nullptr;
  const std::uint32_t* gnu_hash_ = nullptr;
  const std::uint32_t* hash_ = nullptr;
  const Elf64_Versym* versions_ = nullptr;
  std::vector<const char*> version_names_;  // by version index
};

}  // namespace ranklet::loader
