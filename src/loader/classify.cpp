// What kind of program a file is, and why it cannot be run if it cannot.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <set>
#include <string_view>

#include "loader/elf_file.hpp"
#include "loader/library_search.hpp"
#include "loader/loader.hpp"
#include "process/mpi_library.hpp"
#include "terms/error.hpp"

namespace ranklet::loader {
namespace {

bool starts_with(std::string_view text, std::string_view start)
{
  return text.substr(0, start.size()) == start;
}

}  // namespace

const char* foreign_mpi(std::string_view soname)
{
  struct Known {
    std::string_view start;
    const char* name;
  };
  static constexpr Known known[] = {
      {"libmpi.so.40", "Open MPI"},
      {"libmpi.so.20", "Open MPI"},
      {"libmpi.so.12", "MPICH or Intel MPI"},
      {"libmpi_mpifh.so", "Open MPI"},
      {"libmpi_usempi", "Open MPI"},
      {"libmpi_cxx.so", "Open MPI"},
      {"libopen-pal.so", "Open MPI"},
      {"libopen-rte.so", "Open MPI"},
      {"libmpich", "MPICH"},
      {"libmpicxx.so", "MPICH"},
      {"libmpifort.so", "MPICH"},
      {"libmpi.so", "another MPI"},
      {"libmsmpi", "another MPI"},
      {"libmpi_abi.so", "a later ABI"},
      {"libmpc_framework.so", "MPC"},
  };
  for (const Known& entry : known)
    if (starts_with(soname, entry.start)) return entry.name;
  return nullptr;
}

namespace {

bool is_elf(const std::string& path)
{
  if (access(path.c_str(), F_OK) != 0) fail(ErrorClass::no_such_file, "%s does not exist", path.c_str());
  if (access(path.c_str(), R_OK) != 0)
    fail(ErrorClass::access,
         "%s cannot be read (%s): its ranks are made from the file, so make it readable with chmod +r",
         path.c_str(), std::strerror(errno));
  if (access(path.c_str(), X_OK) != 0)
    fail(ErrorClass::access, "%s is not executable (%s): make it so with chmod +x", path.c_str(),
         std::strerror(errno));
  char magic[SELFMAG] = {};
  std::FILE* file = std::fopen(path.c_str(), "re");
  const bool complete = file && std::fread(magic, 1, sizeof magic, file) == sizeof magic;
  if (file) std::fclose(file);
  return complete && std::memcmp(magic, ELFMAG, SELFMAG) == 0;
}

// Does a static program define MPI_Init? Only its symbol table tells, if it is not stripped.
bool defines_mpi_init(const ElfFile& file)
{
  const auto bytes = file.bytes();
  const Elf64_Ehdr& header = file.header();
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > bytes.size() ||
      header.e_shnum > (bytes.size() - header.e_shoff) / sizeof(Elf64_Shdr))
    return false;
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + header.e_shoff);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header.e_shnum) continue;
    const Elf64_Shdr& strings = sections[sections[i].sh_link];
    if (strings.sh_offset > bytes.size() || strings.sh_size > bytes.size() - strings.sh_offset) continue;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data() + strings.sh_offset),
                                strings.sh_size);
    using namespace std::string_view_literals;
    if (text.find("\0MPI_Init\0"sv) != std::string_view::npos) return true;
  }
  return false;
}

struct MpiUse {
  bool ours = false;
  std::string own_choice;  // the file of our name that the program's own paths lead to
  std::string foreign_library;
  const char* foreign_name = nullptr;
};

// Follows DT_NEEDED through all libraries that can be found; what is missing is the loader's business.
MpiUse find_mpi(const std::shared_ptr<const ElfFile>& program)
{
  MpiUse use;
  const char* library_path = std::getenv("LD_LIBRARY_PATH");
  const LibrarySearch search(library_path ? library_path : "");
  std::deque<std::shared_ptr<const ElfFile>> queue{program};
  std::set<std::string> seen;
  while (!queue.empty()) {
    const auto file = queue.front();
    queue.pop_front();
    for (const std::string& name : file->needed()) {
      if (!seen.insert(name).second) continue;
      if (is_mpi_library(name)) {
        use.ours = true;
        if (use.own_choice.empty())
          use.own_choice = LibrarySearch::find_in_objects(name, {file.get(), program.get()});
        continue;  // what our library needs is no sign
      }
      if (const char* owner = foreign_mpi(name); owner && !use.foreign_name) {
        use.foreign_library = name;
        use.foreign_name = owner;
      }
      if (starts_with(name, "libc.so") || starts_with(name, "ld-linux")) continue;
      const std::string path = search.find(name, {file.get(), program.get()});
      if (!path.empty()) queue.push_back(ElfFile::open(path));
    }
  }
  return use;
}

void refuse_foreign(const std::string& path, const MpiUse& use)
{
  if (use.foreign_name && use.ours)
    fail(ErrorClass::arg,
         "%s is linked to two MPIs, ours and %s (%s): rebuild it and its libraries with Ranklet's mpicc",
         path.c_str(), use.foreign_name, use.foreign_library.c_str());
  if (use.foreign_name)
    fail(ErrorClass::arg,
         "%s is linked to %s (%s): rebuild it with Ranklet's mpicc, or start it with that MPI's mpiexec",
         path.c_str(), use.foreign_name, use.foreign_library.c_str());
}

bool is_static(const ElfFile& file)
{
  return !file.segment(PT_INTERP) && file.needed().empty();
}

void refuse_unloadable(const ElfFile& file)
{
  const char* path = file.path().c_str();
  if (file.dynamic().empty() || is_static(file))
    fail(ErrorClass::arg,
         "%s is linked statically, so ranks cannot share the MPI library: link it without -static", path);
  if (file.header().e_type == ET_EXEC)
    fail(ErrorClass::arg,
         "%s is not position-independent, so only one copy fits into a process: compile it with -fPIE and "
         "link it with "
         "-pie (without -no-pie)",
         path);
  if (file.header().e_type != ET_DYN || !file.segment(PT_INTERP))
    fail(ErrorClass::arg, "%s is no program but a library or object file", path);
}

// Whether a library's dynamic symbols have names of MPI: it defines functions of MPI or calls them, linked to
// an MPI or not.
bool names_mpi(const ElfFile& file)
{
  const auto strings = file.dynamic_value(DT_STRTAB), size = file.dynamic_value(DT_STRSZ);
  if (!strings || !size) return false;
  const auto bytes = file.at<char>(*strings, *size);
  const std::string_view text(bytes.data(), bytes.size());
  using namespace std::string_view_literals;
  for (const std::string_view start : {"\0MPI_"sv, "\0PMPI_"sv, "\0mpi_"sv, "\0pmpi_"sv})
    if (text.find(start) != std::string_view::npos) return true;
  return false;
}

}  // namespace

std::vector<std::string> mpi_tools(const std::string& ld_preload)
{
  std::vector<std::string> tools;
  if (ld_preload.empty()) return tools;
  const char* library_path = std::getenv("LD_LIBRARY_PATH");
  const LibrarySearch search(library_path ? library_path : "");
  for (std::size_t begin = 0; begin < ld_preload.size();) {
    const std::size_t end = std::min(ld_preload.find_first_of(": ", begin), ld_preload.size());
    const std::string name = ld_preload.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || is_mpi_library(name.substr(name.rfind('/') + 1))) continue;
    const std::string path = search.find(name, {});
    std::shared_ptr<const ElfFile> file;
    try {
      if (!path.empty()) file = ElfFile::open(path);
    } catch (const Error&) {  // the dynamic loader says so
    }
    if (!file || file->dynamic().empty()) continue;
    const MpiUse use = find_mpi(file);
    refuse_foreign(path, use);
    if (use.ours || names_mpi(*file)) tools.push_back(path);
  }
  return tools;
}

ProgramKind classify_program(const std::string& path)
{
  if (!is_elf(path)) return ProgramKind::plain;
  const auto file = ElfFile::open(path);
  if (file->dynamic().empty() || is_static(*file)) {
    if (defines_mpi_init(*file)) refuse_unloadable(*file);
    return ProgramKind::plain;
  }
  const MpiUse use = find_mpi(file);
  refuse_foreign(path, use);
  if (!use.ours) return ProgramKind::plain;
  refuse_unloadable(*file);
  return ProgramKind::mpi;
}

std::string mpi_library_of_program(const std::string& path)
{
  return find_mpi(ElfFile::open(path)).own_choice;
}

void check_loadable(const std::string& path)
{
  if (!is_elf(path)) fail(ErrorClass::arg, "%s is not an ELF program", path.c_str());
  const auto file = ElfFile::open(path);
  refuse_unloadable(*file);
  refuse_foreign(path, find_mpi(file));
}

}  // namespace ranklet::loader
