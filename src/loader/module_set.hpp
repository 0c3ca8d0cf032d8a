// All objects of one program: which libraries it needs, which of them are private, in what order symbols are
// searched and initialisers run.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/guarded.hpp"
#include "loader/library_search.hpp"
#include "loader/loader.hpp"
#include "loader/module_group.hpp"
#include "loader/storage_layout.hpp"

namespace ranklet::loader {

// Thread safety: construct it before ranks start; then open() may be called from any thread.
class ModuleSet {
 public:
  ModuleSet(const std::string& path, const LoaderOptions& options);
  ~ModuleSet();

  const std::string& path() const noexcept { return path_; }
  Module& program() const noexcept { return *program_; }
  const ModuleGroup& program_group() const noexcept { return group_; }
  StorageNeed storage() const { return storage_layout_.need(); }
  std::size_t slot_count() const;

  // dlopen: the group that `name` (a path or a library's name) brings to such a rank. Ranks in the same
  // situation share it. group is nullptr if the library is shared, then `shared` is set.
  struct Opened {
    const ModuleGroup* group;
    const SharedObject* shared;
  };
  Opened open(const std::string& name, const LoadContext& context);

  // Is this a library that is shared, and loaded already?
  bool is_loaded_shared(const std::string& soname) const;
  // Where `name` is found when no private object defines it: our overrides, the host's exports.
  void* override_of(const char* name) const;
  const SharedObject& host() const noexcept { return host_; }
  // The library that notes what is allocated; null where the host has none.
  const SharedObject* heap() const noexcept { return heap_; }
  const std::vector<const SharedObject*>& host_libraries() const noexcept { return host_libraries_; }

 private:
  bool is_shared(const std::string& soname) const;
  const SharedObject* shared_object(const std::string& soname_or_path) RANKLET_REQUIRES(building_);
  Module& add(std::shared_ptr<const ElfFile> file, const Module* requester);
  ModuleGroup build(const std::vector<std::shared_ptr<const ElfFile>>& roots, const LoadContext& context)
      RANKLET_REQUIRES(building_);
  ScopeObject find_needed(const std::string& name, Module& requester, const LoadContext& context,
                          ModuleGroup& group) RANKLET_REQUIRES(building_);
  void place_opened_storage(const ModuleGroup& group, const std::vector<ScopeObject>& search);
  void go_back_to(std::size_t modules, StorageNeed storage);

  std::string path_;
  LoaderOptions options_;
  LibrarySearch search_;
  SharedObject host_{};
  const SharedObject* heap_ = nullptr;
  std::vector<const SharedObject*> host_libraries_;
  std::unordered_map<std::string, void*> overrides_;

  // Builds are rare: all programs' wait for each other, and ranks that open the same plugin for the first.
  static Mutex building_;
  std::map<std::string, std::unique_ptr<SharedObject>> shared_ RANKLET_GUARDED_BY(building_);

  mutable Mutex mutex_;
  std::vector<std::unique_ptr<Module>> modules_ RANKLET_GUARDED_BY(mutex_);  // by slot - first_module_slot
  Module* program_ = nullptr;  // constant, as group_, when the set is made
  StorageLayout storage_layout_;
  ModuleGroup group_;
  std::map<std::string, std::vector<std::unique_ptr<ModuleGroup>>> opened_ RANKLET_GUARDED_BY(building_);
};

}  // namespace ranklet::loader
