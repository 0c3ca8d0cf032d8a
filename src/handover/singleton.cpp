// A program that was started without mpiexec and may start others (MPI 5.0 §11.8), or connect with them,
// needs a host: before its main it is executed again by mpiexec as the one rank of a job, in the same
// process.
//
// This file is part of the MPI library alone.
#include "handover/singleton.hpp"

#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <strings.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config.hpp"

namespace ranklet::handover {
namespace {

// What a loaded object's dynamic section says.
class Object {
 public:
  explicit Object(const dl_phdr_info& info) : name_(info.dlpi_name)
  {
    const ElfW(Dyn)* dynamic = nullptr;
    for (int i = 0; i < info.dlpi_phnum; ++i)
      if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
        dynamic = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    if (dynamic == nullptr) return;
    for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
      // The loader of glibc makes addresses of these, but not in the kernel's object.
      const ElfW(Addr) place =
          entry->d_un.d_ptr < info.dlpi_addr ? info.dlpi_addr + entry->d_un.d_ptr : entry->d_un.d_ptr;
      if (entry->d_tag == DT_STRTAB) strings_ = reinterpret_cast<const char*>(place);
      if (entry->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<const ElfW(Sym)*>(place);
      if (entry->d_tag == DT_GNU_HASH) hash_ = reinterpret_cast<const std::uint32_t*>(place);
      if (entry->d_tag == DT_NEEDED) needed_.push_back(entry->d_un.d_val);
    }
  }

  std::string_view base_name() const { return name_.substr(name_.rfind('/') + 1); }

  template <class Action>
  void for_each_needed(const Action& action) const
  {
    for (const ElfW(Xword) offset : needed_) action(std::string_view(strings_ + offset));
  }

  // Whether it calls a function with such a name that something else defines. Those come first in its table,
  // which tells where the others begin.
  bool refers_to(const char* prefix) const
  {
    if (strings_ == nullptr || symbols_ == nullptr || hash_ == nullptr) return false;
    const std::uint32_t end = hash_[1];
    for (std::uint32_t i = 1; i < end; ++i)
      if (::strncasecmp(strings_ + symbols_[i].st_name, prefix, std::strlen(prefix)) == 0) return true;
    return false;
  }

 private:
  std::string_view name_;  // empty: the program
  const char* strings_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
  const std::uint32_t* hash_ = nullptr;
  std::vector<ElfW(Xword)> needed_;
};

std::vector<Object> loaded_objects()
{
  std::vector<Object> objects;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* list) {
        static_cast<std::vector<Object>*>(list)->emplace_back(*info);
        return 0;
      },
      &objects);
  return objects;
}

// The objects that the program has been linked to, itself first: not what it opens later.
std::vector<const Object*> linked_objects(const std::vector<Object>& loaded)
{
  std::vector<const Object*> linked;
  std::set<std::string_view> names = {""};
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    linked.clear();
    for (const Object& object : loaded) {
      if (!names.contains(object.base_name())) continue;
      linked.push_back(&object);
      object.for_each_needed([&](std::string_view name) { names.insert(name); });
    }
  }
  return linked;
}

bool needs_host()
{
  const std::vector<Object> loaded = loaded_objects();
  const std::vector<const Object*> linked = linked_objects(loaded);
  bool uses_mpi = false;
  bool starts_programs = false;
  bool has_ranks = false;
  for (const Object* object : linked) {
    const bool is_ours =
        object->base_name().starts_with("libmpi_abi") || object->base_name().starts_with("libmpifort_abi");
    uses_mpi |= is_ours;
    if (is_ours) continue;
    // ranklet::run makes ranks in a process of its own.
    if (object->refers_to("_ZN7ranklet")) return false;
    starts_programs |= object->refers_to("MPI_Comm_spawn");
    has_ranks |= object->refers_to("MPI_Init") || object->refers_to("MPI_Session_init");
  }
  return uses_mpi && (starts_programs || (has_ranks && environment_variable("RANKLET_UNIVERSE") != nullptr));
}

// Beside the library, in an installation or a build directory; empty if it is not there.
std::string mpiexec()
{
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void*>(&host_if_needed), &info) == 0) return "";
  std::string directory = info.dli_fname;
  directory.erase(directory.rfind('/') + 1);
  for (const char* const way : {RANKLET_BIN_FROM_LIB "/mpiexec", "../launch/mpiexec"})
    if (::access((directory + way).c_str(), X_OK) == 0) return directory + way;
  return "";
}

// Not where the dynamic linker was called with the program as its argument, or the file has changed since.
bool is_found_at(const std::string& path)
{
  struct stat file {};
  struct stat own {};
  return ::getauxval(AT_BASE) != 0 && ::stat(path.c_str(), &file) == 0 &&
         ::stat("/proc/self/exe", &own) == 0 && file.st_dev == own.st_dev && file.st_ino == own.st_ino;
}

}  // namespace

void host_if_needed(const std::string& path, char** arguments, char** environment)
{
  const char* const choice = environment_variable("RANKLET_SINGLETON");
  if (choice != nullptr && std::strcmp(choice, "plain") == 0) return;
  // Processes that a rank or mpiexec has started.
  if (environment_variable("RANKLET_RANK") != nullptr || environment_variable("RANKLET_UNDER") != nullptr)
    return;
  const bool wanted = choice != nullptr && std::strcmp(choice, "host") == 0;
  if (!wanted && !needs_host()) return;
  if (!is_found_at(path)) return;
  const std::string launcher = mpiexec();
  if (launcher.empty()) return;
  std::vector<const char*> words = {launcher.c_str(), singleton_word, path.c_str()};
  for (; *arguments != nullptr; ++arguments) words.push_back(*arguments);
  words.push_back(nullptr);
  ::execve(launcher.c_str(), const_cast<char* const*>(words.data()), environment);
}

}  // namespace ranklet::handover
