// What the names of symbols mean to a rank: where each is defined, in a private module or outside.
#pragma once

#include <optional>

#include "loader/module_set.hpp"

namespace ranklet::loader {

inline Elf64_Xword address_of(const void* pointer)
{
  return reinterpret_cast<Elf64_Xword>(pointer);
}

// What a name means to a rank.
struct Definition {
  Slot slot = absolute_slot;
  Elf64_Xword value = 0;  // relative to the slot's base; for thread-local symbols the block's offset
  const Elf64_Sym* symbol = nullptr;  // nullptr for overrides and unresolved weak references
  Module* module = nullptr;           // set if private
  const SharedObject* shared = nullptr;
  bool indirect = false;  // the value is the address of a resolver in a private module
};

// Where libc's per-process variables (LibcVariables) lie in a rank's slots if the program has no copy of its
// own.
struct VariableSlots {
  void* in;
  void* out;
  void* err;
  char** environ_;
  char* optarg_;
  int optind_;
  int opterr_;
  int optopt_;
  char* invocation_name;
  char* invocation_short_name;
  char* zone_names[2];
  long zone_offset;
  int zone_has_summer;
};

// The offset in VariableSlots of libc's variable of this name.
std::optional<std::size_t> variable_offset(const char* name);

// The first definition in the scope. skip: an object to pass over (the program, for a copy relocation).
std::optional<Definition> find_definition(const ModuleSet& set, const std::vector<ScopeObject>& scope,
                                          const SymbolName& name, const Module* skip = nullptr);

// The distance of a thread-local definition from the thread pointer (negative).
std::ptrdiff_t thread_offset(const Definition& definition, const char* name);

// The definitions that these symbols are.
Definition module_definition(Module& module, const Elf64_Sym& symbol);
Definition shared_definition(const SharedObject& object, const Elf64_Sym& symbol);
// What a private object gets where libc or another shared library would serve it with `found`.
Definition outside_definition(const ModuleSet& set, const SymbolName& name, Definition found);

}  // namespace ranklet::loader
