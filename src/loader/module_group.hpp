// Objects that are loaded together, and on what it depends which ones these are.
#pragma once

#include <link.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "loader/module.hpp"

namespace ranklet::loader {

// A library that all ranks and the host share.
struct SharedObject {
  link_map* map;
  SymbolTable symbols;
};

// Objects that are loaded together: the program with its libraries, or what one dlopen brings.
struct ModuleGroup {
  // What building it depended on: of the objects that were loaded already, which had this name, or were this
  // file; nullptr: none.
  struct Dependence {
    std::string name;
    std::shared_ptr<const ElfFile> file;  // set if it was looked for as a file
    const Module* loaded;
  };
  std::vector<Dependence> dependences;
  std::vector<Module*> modules;     // the private objects that the group adds
  std::vector<ScopeObject> scope;   // the root and all it needs, breadth first: where dlsym looks
  std::vector<Module*> init_order;  // of modules, dependencies first
};

// What a rank has loaded when it calls dlopen.
struct LoadContext {
  std::vector<Module*> loaded;
  std::vector<ScopeObject> global;  // searched before the new group's own scope
  const Module* caller = nullptr;   // whose DT_RUNPATH counts
  bool own_scope_first = false;     // RTLD_DEEPBIND
};

// The loaded object of that name, or of that file; nullptr: none.
Module* loaded_by_name(const LoadContext& context, const std::string& name);
Module* loaded_from(const LoadContext& context, const ElfFile& file);

// Would the group be built in the same way in this situation?
bool fits(const ModuleGroup& group, const LoadContext& context);

// In which order the group's modules are initialised; its first `roots` modules are what was asked for.
std::vector<Module*> init_order_of(const ModuleGroup& group, std::size_t roots);

}  // namespace ranklet::loader
