// One rank's copy of the program at work: addresses, what dlopen added, threads' storage.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "loader/definitions.hpp"
#include "loader/module_set.hpp"
#include "process/process.hpp"

namespace ranklet::loader {

using Initialiser = void (*)(int argc, char** argv, char** environment);

struct LoadedModule {
  Module* module;
  std::byte* base;
  link_map* map;
  bool initialised = false;
  bool unloaded = false;  // closed with dlclose

  bool contains(const void* address) const
  {
    return module->contains(static_cast<Elf64_Addr>(static_cast<const std::byte*>(address) - base));
  }
};

// What dlopen returns for a private library.
struct OpenedLibrary {
  const ModuleGroup* group;  // of its root; the program's for dlopen of a null pointer
  int references;
};

class ImageState {
 public:
  explicit ImageState(ModuleSet& modules) : set(modules), global_scope(modules.program_group().scope) {}

  ModuleSet& set;
  VariableSlots slots{};
  std::vector<void*> initial_stack;  // argc, argv, environment: libc and the program keep pointers into it
  std::deque<std::string> strings;   // of these; programs may write to them
  // Recursive as an initialiser may call dlopen. Taken by dlopen, dlsym and at exit only.
  RecursiveMutex mutex;
  // These two change under the process's threads_mutex as well, also what is `unloaded`: a thread that begins
  // looks at them under that.
  std::vector<std::byte*> bases;    // by slot
  std::deque<LoadedModule> loaded;  // in the order in which they were loaded; never shrinks while code runs
  std::vector<ScopeObject> global_scope RANKLET_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<OpenedLibrary>> opened RANKLET_GUARDED_BY(mutex);
  std::vector<LoadedModule*> initialised RANKLET_GUARDED_BY(mutex);  // in the order of initialisation
  // Scopes of linked libraries that were opened by name as well.
  std::vector<std::unique_ptr<ModuleGroup>> groups RANKLET_GUARDED_BY(mutex);
  std::string error RANKLET_GUARDED_BY(mutex);  // what dlerror reports next
  std::string reported_error RANKLET_GUARDED_BY(mutex);
  bool has_error RANKLET_GUARDED_BY(mutex) = false;

  // Maps and relocates the group's modules for this rank; all of them or, if it throws, none.
  void load(const ModuleGroup& group);
  // Takes back what load() did.
  void unload(const ModuleGroup& group);
  // When all of the rank's code has ended for good.
  void give_back() noexcept;
  // Runs DT_PREINIT_ARRAY, which only a program may have.
  void preinitialise(int argc, char** argv, char** environment);
  // Runs the initialisers of those of the modules that have not been run, except the program's. Without the
  // lock, unless the caller has it: they may make threads that open libraries.
  void initialise(const std::vector<Module*>& order, int argc, char** argv, char** environment);
  void initialise(LoadedModule& loaded_module, int argc, char** argv, char** environment);
  // Runs a module's termination functions (DT_FINI_ARRAY backwards, then DT_FINI).
  static void terminate(const LoadedModule& loaded_module);
  LoadedModule* find(const Module& module);
  // The module that holds this address; nullptr if none.
  LoadedModule* find(const void* address);
  // The address of a definition for the calling thread.
  void* address(const Definition& definition, const char* name) const;

 private:
  void take_back(std::size_t first);  // what was loaded since then
  void relocate(const LoadedModule& loaded_module) const;
  void resolve_indirect(const LoadedModule& loaded_module) const;
};

// Gives the calling thread the initial thread-local storage of the rank's modules and makes it a thread of
// the rank. record must live until leave_process().
void enter_process(ProcessState& process, ThreadRecord& record);
void leave_process();
// Initialises the storage of modules that were loaded later, in all threads of the rank. Throws Error
// (no_mem).
void add_thread_storage(ProcessState& process, const std::vector<Module*>& modules)
    RANKLET_REQUIRES(process.threads_mutex);

}  // namespace ranklet::loader
