#include "loader/module_set.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <string_view>

#include "libc/libc_state.hpp"
#include "loader/bind.hpp"
#include "loader/library_sharing.hpp"
#include "process/mpi_library.hpp"
#include "process/override.hpp"
#include "terms/error.hpp"

namespace ranklet::loader {
namespace {

std::string library_path_of_environment()
{
  const char* value = std::getenv("LD_LIBRARY_PATH");
  return value ? value : "";
}

// The host executable, the first in the dynamic loader's list, and the libraries that were there before any
// rank. Programs may be analysed while ranks run, whose private copies are in the list, too.
const std::vector<link_map*>& host_objects()
{
  static const std::vector<link_map*> objects = [] {
    std::vector<link_map*> all;
    for (link_map* map = _r_debug.r_map; map; map = map->l_next) all.push_back(map);
    return all;
  }();
  return objects;
}

}  // namespace

constinit Mutex ModuleSet::building_;

ModuleSet::ModuleSet(const std::string& path, const LoaderOptions& options)
    : path_(path), options_(options), search_(library_path_of_environment())
{
  for (const auto table :
       {start_overrides(), exit_overrides(), thread_overrides(), dynamic_overrides(), own_file_overrides()})
    for (const Override& entry : table) overrides_.emplace(entry.name, entry.function);
  for (const Override& entry : libc_overrides()) overrides_.emplace(entry.name, entry.function);
  host_ = {host_objects().front(), SymbolTable(*host_objects().front())};
  for (link_map* const map : host_objects()) {
    if (map == host_objects().front() || !map->l_name || map->l_name[0] != '/') continue;
    auto& entry = shared_[map->l_name];
    entry = std::make_unique<SharedObject>(SharedObject{map, SymbolTable(*map)});
    host_libraries_.push_back(entry.get());
    if (std::string_view(map->l_name).ends_with("/ranklet-heap.so")) heap_ = entry.get();
  }

  std::vector<std::shared_ptr<const ElfFile>> roots{ElfFile::open(path)};
  for (const std::string& library : options.preload) {
    const std::string found = search_.find(library, {roots.front().get()});
    if (found.empty())
      fail(ErrorClass::no_such_file, "the library %s to preload is not found", library.c_str());
    roots.push_back(ElfFile::open(found));
  }
  group_ = build(roots, {});
}

ModuleSet::~ModuleSet() = default;

std::size_t ModuleSet::slot_count() const
{
  const Holder lock(mutex_);
  return modules_.size() + first_module_slot;
}

void* ModuleSet::override_of(const char* name) const
{
  const auto entry = overrides_.find(name);
  return entry == overrides_.end() ? nullptr : entry->second;
}

bool ModuleSet::is_shared(const std::string& soname) const
{
  return loader::is_shared(soname, options_.shared_libraries);
}

bool ModuleSet::is_loaded_shared(const std::string& soname) const
{
  // By name only: a private copy goes by its file's path.
  const std::string name = soname.substr(soname.rfind('/') + 1);
  if (is_mpi_library_of_host(name)) return true;
  return is_shared(name) && is_loaded(name);
}

const SharedObject* ModuleSet::shared_object(const std::string& soname_or_path)
{
  auto* map = static_cast<link_map*>(dlopen(soname_or_path.c_str(), RTLD_NOW | RTLD_GLOBAL));
  if (!map) return nullptr;
  auto& entry = shared_[map->l_name];
  if (!entry) entry = std::make_unique<SharedObject>(SharedObject{map, SymbolTable(*map)});
  return entry.get();
}

// Of what is opened later only the static model's variables are in the reserve, which is small.
void ModuleSet::place_opened_storage(const ModuleGroup& group, const std::vector<ScopeObject>& search)
{
  const StorageNeed capacity = thread_storage_capacity();
  std::vector<Module*> in_reserve;
  for (Module* module : group.modules) find_static_storage(*this, *module, search, in_reserve);
  for (Module* module : group.modules) {
    const Elf64_Phdr* segment = module->tls_segment();
    if (!segment || segment->p_memsz == 0) continue;
    if (std::find(in_reserve.begin(), in_reserve.end(), module) == in_reserve.end()) {
      module->dynamic_storage = true;
      continue;
    }
    storage_layout_.place(*module, &capacity);
  }
  for (const Module* module : in_reserve)
    if (module->dynamic_storage)
      fail(ErrorClass::arg,
           "%s: cannot allocate memory in static TLS block: it was opened before a library that needs it "
           "there",
           module->file().path().c_str());
}

// Nothing stays of modules that could not be opened.
void ModuleSet::go_back_to(std::size_t modules, StorageNeed storage)
{
  storage_layout_.go_back_to(storage);
  const Holder lock(mutex_);
  modules_.resize(modules);
}

Module& ModuleSet::add(std::shared_ptr<const ElfFile> file, const Module* requester)
{
  const Holder lock(mutex_);
  const auto slot = static_cast<Slot>(modules_.size() + first_module_slot);
  modules_.push_back(std::make_unique<Module>(std::move(file), slot, requester));
  if (!program_) program_ = modules_.back().get();
  return *modules_.back();
}

ScopeObject ModuleSet::find_needed(const std::string& name, Module& requester, const LoadContext& context,
                                   ModuleGroup& group)
{
  Module* const loaded = loaded_by_name(context, name);
  group.dependences.push_back({name, nullptr, loaded});
  if (loaded) return {loaded, nullptr};
  for (Module* module : group.modules)
    if (module->soname() == name) return {module, nullptr};

  const auto share = [this](const std::string& what) RANKLET_REQUIRES(building_) -> ScopeObject {
    if (const SharedObject* object = shared_object(what)) return {nullptr, object};
    fail(ErrorClass::arg, "cannot load the shared library %s: %s", what.c_str(), dlerror());
  };
  if (is_mpi_library_of_host(name)) return share(mpi_library);
  if (const char* const owner = foreign_mpi(name))
    fail(ErrorClass::arg,
         "%s was built for %s (it needs %s), which cannot run in ranks: build it with Ranklet's mpicc",
         requester.file().path().c_str(), owner, name.c_str());
  const std::string path = search_.find(name, requester.requesters());
  if (is_shared(name)) {
    // One that the host has, or one of the C library's family, or one to share: by name if loaded already.
    return share(is_loaded(name) || path.empty() ? name : path);
  }
  if (path.empty())
    fail(ErrorClass::no_such_file,
         "%s needs the library %s, which is neither in its RUNPATH nor in LD_LIBRARY_PATH nor among the "
         "system's: "
         "add its directory to LD_LIBRARY_PATH",
         requester.file().path().c_str(), name.c_str());

  auto file = ElfFile::open(path);
  Module* const same = loaded_from(context, *file);
  group.dependences.push_back({name, file, same});
  if (same) return {same, nullptr};
  for (Module* module : group.modules)
    if (module->file().identity() == file->identity()) return {module, nullptr};
  const std::string soname = file->soname();
  if (is_mpi_library_of_host(soname)) return share(mpi_library);
  if (!soname.empty() && is_shared(soname)) return share(path);
  group.modules.push_back(&add(std::move(file), &requester));
  return {group.modules.back(), nullptr};
}

ModuleGroup ModuleSet::build(const std::vector<std::shared_ptr<const ElfFile>>& roots,
                             const LoadContext& context)
{
  ModuleGroup group;
  const auto enter = [&group](const ScopeObject& object) {
    if (std::find(group.scope.begin(), group.scope.end(), object) == group.scope.end())
      group.scope.push_back(object);
  };
  for (const auto& file : roots) {
    group.modules.push_back(
        &add(file, roots.size() > 1 && !group.modules.empty() ? group.modules.front() : context.caller));
    enter({group.modules.back(), nullptr});
  }
  // Breadth first. scope grows while it is walked; a loaded module is entered with what it needs as well.
  for (std::size_t i = 0; i < group.scope.size(); ++i) {
    Module* module = group.scope[i].module;
    if (!module) continue;
    const bool is_new = std::find(group.modules.begin(), group.modules.end(), module) != group.modules.end();
    if (is_new)
      for (const std::string& name : module->file().needed())
        module->needed.push_back(find_needed(name, *module, context, group));
    for (const ScopeObject& object : module->needed) enter(object);
  }

  std::vector<ScopeObject> search = context.global;
  if (context.own_scope_first)
    search.insert(search.begin(), group.scope.begin(), group.scope.end());
  else
    search.insert(search.end(), group.scope.begin(), group.scope.end());
  const bool opens = program_ != group.modules.front();
  for (Module* module : group.modules) {
    module->opened_later = opens;
    if (!opens) storage_layout_.place(*module);
  }
  if (opens) place_opened_storage(group, search);
  for (Module* module : group.modules) loader::bind(*this, *module, search);

  group.init_order = init_order_of(group, roots.size());
  return group;
}

ModuleSet::Opened ModuleSet::open(const std::string& name, const LoadContext& context)
{
  const Holder lock(building_);

  if (is_mpi_library_of_host(name)) return {nullptr, shared_object(mpi_library)};
  const std::string path = search_.find(
      name, context.caller ? context.caller->requesters() : std::vector<const ElfFile*>{&program().file()});
  if (is_shared(name.substr(name.rfind('/') + 1)))
    return {nullptr, shared_object(path.empty() ? name : path)};
  if (path.empty()) fail(ErrorClass::no_such_file, "%s: cannot open shared object file", name.c_str());

  auto file = ElfFile::open(path);
  const std::string soname = file->soname();
  if (is_mpi_library_of_host(soname)) return {nullptr, shared_object(mpi_library)};
  if (!soname.empty() && is_shared(soname)) return {nullptr, shared_object(path)};
  if (const Elf64_Phdr* interpreter = file->segment(PT_INTERP);
      interpreter && file->has_dynamic_flag_1(DF_1_PIE))
    fail(ErrorClass::arg, "%s: cannot dynamically load position-independent executable", path.c_str());

  char* real = realpath(path.c_str(), nullptr);
  std::string key = real ? real : path;
  std::free(real);
  key += context.own_scope_first ? "|own" : "|global";
  for (const ScopeObject& object : context.global)
    if (object.module) key += "/" + std::to_string(object.module->slot());
  // Ranks open libraries in different orders: what the library has nothing to do with makes no difference.
  auto& groups = opened_[key];
  for (const auto& group : groups)
    if (fits(*group, context)) return {group.get(), nullptr};
  const std::size_t modules_before = slot_count() - first_module_slot;
  const StorageNeed storage_before = storage();
  try {
    groups.push_back(std::make_unique<ModuleGroup>(build({file}, context)));
  } catch (...) {
    go_back_to(modules_before, storage_before);
    throw;
  }
  return {groups.back().get(), nullptr};
}

}  // namespace ranklet::loader
