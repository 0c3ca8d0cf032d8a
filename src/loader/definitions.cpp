#include "loader/definitions.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <string_view>

#include "loader/thread_blocks.hpp"
#include "process/thread_storage.hpp"

namespace ranklet::loader {

Definition shared_definition(const SharedObject& object, const Elf64_Sym& symbol)
{
  Definition result;
  result.symbol = &symbol;
  result.shared = &object;
  result.value = symbol.st_value;
  if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS && symbol.st_shndx != SHN_ABS)
    result.value += object.map->l_addr;
  if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC)
    result.value = address_of(reinterpret_cast<void* (*)()>(result.value)());
  return result;
}

Definition module_definition(Module& module, const Elf64_Sym& symbol)
{
  Definition result;
  result.symbol = &symbol;
  result.module = &module;
  result.value = symbol.st_value;
  if (symbol.st_shndx != SHN_ABS) result.slot = module.slot();
  result.indirect = ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC;
  return result;
}

// What a private object gets where libc or another shared library would serve it. The heap's functions also
// come before libc's for all that the system has loaded, as it was loaded first.
Definition outside_definition(const ModuleSet& set, const SymbolName& name, Definition found)
{
  if (const auto offset = variable_offset(name.text)) {
    found.slot = variable_slot;
    found.value = *offset;
  } else if (void* function = set.override_of(name.text)) {
    found = Definition{};
    found.value = address_of(function);
  } else if (const Elf64_Sym* exported = set.host().symbols.find(SymbolName(name.text))) {
    found = shared_definition(set.host(), *exported);
  } else if (set.heap() != nullptr) {
    if (const Elf64_Sym* const noting = set.heap()->symbols.find(SymbolName(name.text)))
      found = shared_definition(*set.heap(), *noting);
  }
  return found;
}

std::optional<std::size_t> variable_offset(const char* name)
{
  struct Entry {
    std::string_view name;
    std::size_t offset;
  };
  static constexpr Entry entries[] = {
      {"stdin", offsetof(VariableSlots, in)},
      {"stdout", offsetof(VariableSlots, out)},
      {"stderr", offsetof(VariableSlots, err)},
      {"environ", offsetof(VariableSlots, environ_)},
      {"__environ", offsetof(VariableSlots, environ_)},
      {"_environ", offsetof(VariableSlots, environ_)},
      {"optarg", offsetof(VariableSlots, optarg_)},
      {"optind", offsetof(VariableSlots, optind_)},
      {"opterr", offsetof(VariableSlots, opterr_)},
      {"optopt", offsetof(VariableSlots, optopt_)},
      {"program_invocation_name", offsetof(VariableSlots, invocation_name)},
      {"__progname_full", offsetof(VariableSlots, invocation_name)},
      {"program_invocation_short_name", offsetof(VariableSlots, invocation_short_name)},
      {"__progname", offsetof(VariableSlots, invocation_short_name)},
      {"tzname", offsetof(VariableSlots, zone_names)},
      {"__tzname", offsetof(VariableSlots, zone_names)},
      {"timezone", offsetof(VariableSlots, zone_offset)},
      {"__timezone", offsetof(VariableSlots, zone_offset)},
      {"daylight", offsetof(VariableSlots, zone_has_summer)},
      {"__daylight", offsetof(VariableSlots, zone_has_summer)},
  };
  for (const Entry& entry : entries)
    if (entry.name == name) return entry.offset;
  return std::nullopt;
}

std::optional<Definition> find_definition(const ModuleSet& set, const std::vector<ScopeObject>& scope,
                                          const SymbolName& name, const Module* skip)
{
  for (const ScopeObject& object : scope) {
    if (object.module) {
      if (object.module == skip) continue;
      if (const Elf64_Sym* found = object.module->symbols().find(name))
        return module_definition(*object.module, *found);
    } else if (const Elf64_Sym* found = object.shared->symbols.find(name)) {
      return outside_definition(set, name, shared_definition(*object.shared, *found));
    }
  }
  return std::nullopt;
}

std::ptrdiff_t thread_offset(const Definition& definition, const char* name)
{
  if (definition.module)
    return static_cast<std::ptrdiff_t>(definition.value) -
           static_cast<std::ptrdiff_t>(definition.module->tls_offset);
  // A shared library's variable: its place in this thread tells the distance, which is the same in all
  // threads if the library was loaded at start. The C library's own handle is its link map.
  const auto* here = static_cast<const std::byte*>(dlsym(definition.shared->map, name));
  return here - thread_pointer();
}

}  // namespace ranklet::loader
