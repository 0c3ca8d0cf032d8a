// What the symbols are that one object refers to: symbol resolution, as the ELF gABI has it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "loader/definitions.hpp"

namespace ranklet::loader {

// Not thread-safe. Throws Error for a symbol that none of the libraries defines, unless it is weak, or a
// function that is bound lazily: that fails when it is called.
class SymbolResolution {
 public:
  // scope: where definitions are searched, in order.
  SymbolResolution(const ModuleSet& set, Module& module, const std::vector<ScopeObject>& scope)
      : set_(set), module_(module), scope_(scope)
  {
  }

  // By the symbol's index, for a relocation of that type. Index 0 is the object itself: its thread-local
  // block.
  Definition resolve(std::size_t index, unsigned type);
  // What a copy relocation copies, which is outside of this object.
  Definition resolve_copy(std::size_t index) const;

 private:
  const char* name_of(const Elf64_Sym& symbol) const { return module_.symbols().name_of(symbol); }
  Definition search(std::size_t index, unsigned type) const;
  [[noreturn]] void missing(const Elf64_Sym& symbol) const;

  const ModuleSet& set_;
  Module& module_;
  const std::vector<ScopeObject>& scope_;
  // By index. Jump slots and address constants of functions may differ: see SymbolName::accept_plt_address.
  std::vector<std::optional<Definition>> jumps_;
  std::vector<std::optional<Definition>> addresses_;
};

}  // namespace ranklet::loader
