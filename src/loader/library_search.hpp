// Where a library that is needed by name lies, in the dynamic loader's order (ld.so(8)): DT_RPATH of the
// objects on the way, LD_LIBRARY_PATH, DT_RUNPATH, the cache, the default directories.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace ranklet::loader {

class ElfFile;

class LibrarySearch {
 public:
  // library_path: LD_LIBRARY_PATH's value.
  explicit LibrarySearch(const std::string& library_path);

  // The path of `name` for the object that needs it, which was itself needed by requesters[1] and so on up to
  // the program. Empty if there is none for x86-64. A name with a slash is a path already.
  std::string find(const std::string& name, const std::vector<const ElfFile*>& requesters) const;

  // The same, but only in DT_RPATH and DT_RUNPATH of the objects.
  static std::string find_in_objects(const std::string& name, const std::vector<const ElfFile*>& requesters);

 private:
  std::vector<std::string> library_path_;
  std::unordered_map<std::string, std::string> cache_;
};

// Replaces $ORIGIN, $LIB and $PLATFORM, with or without braces.
std::string expand_tokens(const std::string& text, const std::string& object_path);

}  // namespace ranklet::loader
