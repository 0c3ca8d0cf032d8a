// dlopen and its family for programs in ranks: libraries that a program opens are private to its rank, like
// those it is linked to. Handles of private libraries are OpenedLibrary pointers, all others are the C
// library's.
#include <dlfcn.h>

#include <algorithm>
#include <new>
#include <string>

#include "libc/libc_state.hpp"
#include "loader/exit.hpp"
#include "loader/image.hpp"
#include "process/override.hpp"
#include "process/process.hpp"
#include "process/thread_record.hpp"
#include "terms/error.hpp"

namespace ranklet::loader {
namespace {

ImageState* current_image()
{
  ProcessState* process = current_process();
  return process ? process->image.get() : nullptr;
}

OpenedLibrary* private_handle(ImageState& image, void* handle) RANKLET_REQUIRES(image.mutex)
{
  for (const auto& entry : image.opened)
    if (entry.get() == handle) return entry.get();
  return nullptr;
}

void* remember_error(ImageState& image, const std::string& message) RANKLET_REQUIRES(image.mutex)
{
  image.error = message;
  image.has_error = true;
  return nullptr;
}

void* add_handle(ImageState& image, OpenedLibrary library) RANKLET_REQUIRES(image.mutex)
{
  for (const auto& entry : image.opened)
    if (entry->group == library.group) {
      ++entry->references;
      return entry.get();
    }
  image.opened.push_back(std::make_unique<OpenedLibrary>(std::move(library)));
  return image.opened.back().get();
}

// The module of the rank that a DT_SONAME, a name or a path stands for, loaded already.
LoadedModule* find_loaded(ImageState& image, const std::string& name)
{
  for (LoadedModule& entry : image.loaded)
    if (!entry.unloaded && entry.module != &image.set.program() &&
        (entry.module->soname() == name || entry.module->file().path() == name))
      return &entry;
  return nullptr;
}

void add_scope(std::vector<ScopeObject>& scope, const std::vector<ScopeObject>& more)
{
  for (const ScopeObject& object : more)
    if (std::find(scope.begin(), scope.end(), object) == scope.end()) scope.push_back(object);
}

// The scope of a module that is loaded as a dependency: itself and all it needs, breadth first.
const ModuleGroup& group_of(ImageState& image, Module& root) RANKLET_REQUIRES(image.mutex)
{
  for (const auto& entry : image.opened)
    if (entry->group->scope.front().module == &root) return *entry->group;
  for (const auto& group : image.groups)
    if (group->scope.front().module == &root) return *group;
  auto group = std::make_unique<ModuleGroup>();
  group->scope.push_back({&root, nullptr});
  for (std::size_t i = 0; i < group->scope.size(); ++i)
    if (const Module* module = group->scope[i].module) add_scope(group->scope, module->needed);
  image.groups.push_back(std::move(group));
  return *image.groups.back();
}

void* open_private(ProcessState& process, ImageState& image, const ModuleGroup& group, int flags)
    RANKLET_REQUIRES(image.mutex)
{
  const bool is_new = std::any_of(group.modules.begin(), group.modules.end(),
                                  [&image](const Module* module) { return !image.find(*module); });
  if (is_new) {
    // No thread may begin between loading and its storage.
    const Holder lock(process.threads_mutex);
    image.load(group);
    try {
      add_thread_storage(process, group.modules);
    } catch (...) {
      image.unload(group);
      throw;
    }
  }
  if (flags & RTLD_GLOBAL) add_scope(image.global_scope, group.scope);
  void* handle = add_handle(image, {&group, 1});
  if (is_new) {
    const int argc = static_cast<int>(process.arguments.size());
    image.initialise(group.init_order, argc, reinterpret_cast<char**>(image.initial_stack.data()) + 1,
                     *process.variables.environ_);
  }
  return handle;
}

void* open_library(ProcessState& process, ImageState& image, const char* name, int flags, const void* caller)
    RANKLET_REQUIRES(image.mutex)
{
  if (!name || !*name) return add_handle(image, {&image.set.program_group(), 1});
  if (LoadedModule* loaded = find_loaded(image, name))
    return open_private(process, image, group_of(image, *loaded->module), flags);
  if (flags & RTLD_NOLOAD && !image.set.is_loaded_shared(name)) return nullptr;

  LoadContext context;
  for (const LoadedModule& entry : image.loaded)
    if (!entry.unloaded) context.loaded.push_back(entry.module);
  context.global = image.global_scope;
  if (const LoadedModule* module = image.find(caller)) context.caller = module->module;
  context.own_scope_first = flags & RTLD_DEEPBIND;
  const ModuleSet::Opened opened = image.set.open(name, context);
  if (opened.group) return open_private(process, image, *opened.group, flags);
  if (!opened.shared) return nullptr;
  return dlopen(opened.shared->map->l_name, (flags & ~RTLD_DEEPBIND) | RTLD_GLOBAL);
}

void* open_for(const char* name, int flags, const void* caller)
{
  ImageState* image = current_image();
  if (!image) return dlopen(name, flags);
  const Holder lock(image->mutex);
  try {
    return open_library(*current_process(), *image, name, flags, caller);
  } catch (const Error& error) {
    return remember_error(*image, error.message());
  } catch (const std::bad_alloc&) {
    return remember_error(*image, std::string(name) + ": out of memory");
  }
}

void* rank_dlopen(const char* name, int flags)
{
  return open_for(name, flags, __builtin_return_address(0));
}

// A new namespace is more than a private image can offer; what is asked for the base one is dlopen.
void* rank_dlmopen(Lmid_t space, const char* name, int flags)
{
  return space == LM_ID_BASE ? open_for(name, flags, __builtin_return_address(0))
                             : dlmopen(space, name, flags);
}

bool is_in_use(const ImageState& image, Module& module) RANKLET_REQUIRES(image.mutex)
{
  const ScopeObject object{&module, nullptr};
  const auto holds = [&object](const std::vector<ScopeObject>& scope) {
    return std::find(scope.begin(), scope.end(), object) != scope.end();
  };
  return holds(image.global_scope) ||
         std::any_of(image.opened.begin(), image.opened.end(),
                     [&](const auto& entry) { return holds(entry->group->scope); });
}

// The last reference is gone: what nobody else uses ends, as at exit. Its memory stays.
void end_group(ProcessState& process, ImageState& image, const ModuleGroup& group)
    RANKLET_REQUIRES(image.mutex)
{
  for (auto module = group.init_order.rbegin(); module != group.init_order.rend(); ++module) {
    LoadedModule* entry = image.find(**module);
    if (!entry || is_in_use(image, **module)) continue;
    if (entry->initialised) {
      std::erase(image.initialised, entry);
      ImageState::terminate(*entry);
    }
    if (process.libc)
      process.libc->fork_handlers.forget(
          [entry](const void* owner) { return owner != nullptr && entry->contains(owner); });
    const Holder lock(process.threads_mutex);
    entry->unloaded = true;
  }
}

int rank_dlclose(void* handle)
{
  ImageState* image = current_image();
  if (!image) return dlclose(handle);
  const Holder lock(image->mutex);
  OpenedLibrary* library = private_handle(*image, handle);
  if (!library) return dlclose(handle);
  if (--library->references > 0) return 0;
  const ModuleGroup& group = *library->group;
  std::erase_if(image->opened, [library](const auto& entry) { return entry.get() == library; });
  end_group(*current_process(), *image, group);
  return 0;
}

void* symbol_in(ImageState& image, const std::vector<ScopeObject>& scope, const SymbolName& name)
{
  const auto found = find_definition(image.set, scope, name);
  return found ? image.address(*found, name.text) : nullptr;
}

// RTLD_NEXT: behind the caller's object in the rank's order of search.
void* next_symbol(ImageState& image, const SymbolName& name, const void* caller) RANKLET_REQUIRES(image.mutex)
{
  const LoadedModule* module = image.find(caller);
  std::vector<ScopeObject> scope = image.global_scope;
  if (module) {
    const auto self = std::find(scope.begin(), scope.end(), ScopeObject{module->module, nullptr});
    if (self != scope.end()) scope.erase(scope.begin(), self + 1);
  }
  return symbol_in(image, scope, name);
}

void* symbol_for(void* handle, const char* text, const char* version, const void* caller)
{
  ImageState* image = current_image();
  const auto original = [&] { return version ? dlvsym(handle, text, version) : dlsym(handle, text); };
  if (!image) return original();
  const Holder lock(image->mutex);
  const SymbolName name(text, version);
  void* found = nullptr;
  if (handle == RTLD_DEFAULT)
    found = symbol_in(*image, image->global_scope, name);
  else if (handle == RTLD_NEXT)
    found = next_symbol(*image, name, caller);
  else if (const OpenedLibrary* library = private_handle(*image, handle))
    found = symbol_in(
        *image, library->group == &image->set.program_group() ? image->global_scope : library->group->scope,
        name);
  else if (void* override_function = image->set.override_of(text))
    found = original() ? override_function : nullptr;
  else
    return original();
  if (found || handle == RTLD_DEFAULT) return found ? found : original();
  return remember_error(*image, std::string("undefined symbol: ") + text +
                                    (version ? std::string(", version ") + version : ""));
}

void* rank_dlsym(void* handle, const char* name)
{
  return symbol_for(handle, name, nullptr, __builtin_return_address(0));
}

void* rank_dlvsym(void* handle, const char* name, const char* version)
{
  return symbol_for(handle, name, version, __builtin_return_address(0));
}

char* rank_dlerror()
{
  ImageState* image = current_image();
  if (!image) return dlerror();
  const Holder lock(image->mutex);
  if (!image->has_error) return dlerror();
  image->has_error = false;
  image->reported_error = image->error;
  return image->reported_error.data();
}

int rank_dlinfo(void* handle, int request, void* result)
{
  if (ImageState* image = current_image()) {
    const Holder lock(image->mutex);
    if (const OpenedLibrary* library = private_handle(*image, handle))
      if (const Module* root = library->group->scope.front().module) handle = image->find(*root)->map;
  }
  return dlinfo(handle, request, result);
}

}  // namespace

std::span<const Override> dynamic_overrides()
{
  static const Override table[] = {
      override_with("dlopen", rank_dlopen),   override_with("dlmopen", rank_dlmopen),
      override_with("dlclose", rank_dlclose), override_with("dlsym", rank_dlsym),
      override_with("dlvsym", rank_dlvsym),   override_with("dlerror", rank_dlerror),
      override_with("dlinfo", rank_dlinfo),
  };
  return table;
}

}  // namespace ranklet::loader
