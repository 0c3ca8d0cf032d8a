#include "loader/module_group.hpp"

#include <algorithm>

namespace ranklet::loader {

namespace {

// Dependencies first; of libraries that need each other, the one that is needed first comes later, as in
// ld.so.
void visit(Module& module, const std::vector<Module*>& wanted, std::vector<Module*>& seen,
           std::vector<Module*>& order)
{
  if (std::find(seen.begin(), seen.end(), &module) != seen.end()) return;
  seen.push_back(&module);
  for (const ScopeObject& object : module.needed)
    if (object.module && std::find(wanted.begin(), wanted.end(), object.module) != wanted.end())
      visit(*object.module, wanted, seen, order);
  order.push_back(&module);
}

}  // namespace

Module* loaded_by_name(const LoadContext& context, const std::string& name)
{
  for (Module* module : context.loaded)
    if (module->soname() == name) return module;
  return nullptr;
}

Module* loaded_from(const LoadContext& context, const ElfFile& file)
{
  for (Module* module : context.loaded)
    if (module->file().identity() == file.identity()) return module;
  return nullptr;
}

bool fits(const ModuleGroup& group, const LoadContext& context)
{
  return std::all_of(group.dependences.begin(), group.dependences.end(), [&context](const auto& dependence) {
    return dependence.loaded == (dependence.file ? loaded_from(context, *dependence.file)
                                                 : loaded_by_name(context, dependence.name));
  });
}

std::vector<Module*> init_order_of(const ModuleGroup& group, std::size_t roots)
{
  std::vector<Module*> order;
  std::vector<Module*> seen;
  // Preloaded libraries come before the program's own, the program last.
  for (std::size_t i = roots; i-- > 0;) visit(*group.modules[i], group.modules, seen, order);
  return order;
}

}  // namespace ranklet::loader
