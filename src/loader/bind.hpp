// Turns an object's relocations into values relative to the rank's modules.
#pragma once

#include "loader/module_set.hpp"

namespace ranklet::loader {

// Fills the module's relocation lists. scope: where its references are searched, in order. Throws Error if a
// symbol is missing or a relocation is not possible in position-independent code.
void bind(const ModuleSet& set, Module& module, const std::vector<ScopeObject>& scope);

// Adds the private modules whose thread-local storage the module's code expects at fixed distances from the
// thread pointer (static model): such references can be made to what was there at start, and to what has a
// place in the reserve.
void find_static_storage(const ModuleSet& set, Module& module, const std::vector<ScopeObject>& scope,
                         std::vector<Module*>& modules);

}  // namespace ranklet::loader
