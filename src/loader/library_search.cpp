#include "loader/library_search.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "loader/elf_file.hpp"

namespace ranklet::loader {
namespace {

constexpr const char* default_directories[] = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};

// Objects for other machines are passed over, as ld.so does.
bool is_loadable(const std::string& path)
{
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  Elf64_Ehdr header;
  const bool complete = read(file, &header, sizeof header) == sizeof header;
  close(file);
  return complete && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64;
}

std::vector<std::string> split(const std::string& list, const char* separators)
{
  std::vector<std::string> parts;
  if (list.empty()) return parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const auto end = std::min(list.find_first_of(separators, begin), list.size());
    // An empty entry means the working directory.
    parts.push_back(end == begin ? "." : list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string directory_of(const std::string& path)
{
  std::string absolute = path;
  if (char* real = realpath(path.c_str(), nullptr)) {
    absolute = real;
    std::free(real);
  }
  const auto slash = absolute.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : absolute.substr(0, slash);
}

// The file that ldconfig(8) writes, in the format that glibc has used since 2.2.
std::unordered_map<std::string, std::string> read_cache()
{
  struct Header {
    char magic[20];  // "glibc-ld.so.cache1.1"
    std::uint32_t count;
    std::uint32_t string_bytes;
    std::uint32_t unused[5];
  };
  struct Entry {
    std::int32_t flags;
    std::uint32_t name;
    std::uint32_t path;
    std::uint32_t os_version;
    std::uint64_t hardware;
  };
  constexpr std::int32_t x86_64_elf_library = 0x0303;

  std::unordered_map<std::string, std::string> result;
  std::string bytes;
  if (std::FILE* file = std::fopen("/etc/ld.so.cache", "re")) {
    char part[65536];
    while (const std::size_t count = std::fread(part, 1, sizeof part, file)) bytes.append(part, count);
    std::fclose(file);
  }
  // Older systems put the new format behind an old table; offsets count from the new header.
  const auto begin = bytes.find("glibc-ld.so.cache1.1");
  if (begin == std::string::npos || bytes.size() - begin < sizeof(Header)) return result;
  const char* base = bytes.data() + begin;
  const std::size_t size = bytes.size() - begin;
  Header header;
  std::memcpy(&header, base, sizeof header);
  if (header.count > (size - sizeof header) / sizeof(Entry)) return result;
  for (std::uint32_t i = 0; i < header.count; ++i) {
    Entry entry;
    std::memcpy(&entry, base + sizeof header + i * sizeof entry, sizeof entry);
    // Variants for newer processors are left out: the plain one runs everywhere.
    if (entry.flags != x86_64_elf_library || entry.hardware != 0) continue;
    if (entry.name >= size || entry.path >= size) continue;
    result.try_emplace(base + entry.name, base + entry.path);
  }
  return result;
}

std::string find_in_tag(const std::string& name, const ElfFile& object, Elf64_Sxword tag)
{
  for (const std::string& directory : split(object.dynamic_string(tag), ":"))
    if (const std::string path = expand_tokens(directory, object.path()) + "/" + name; is_loadable(path))
      return path;
  return {};
}

// DT_RPATH counts only where the object that needs the library has no DT_RUNPATH.
std::string find_in_rpath(const std::string& name, const std::vector<const ElfFile*>& requesters)
{
  if (requesters.empty() || requesters.front()->dynamic_value(DT_RUNPATH)) return {};
  for (const ElfFile* object : requesters) {
    if (object->dynamic_value(DT_RUNPATH)) continue;
    if (const std::string path = find_in_tag(name, *object, DT_RPATH); !path.empty()) return path;
  }
  return {};
}

std::string find_in_runpath(const std::string& name, const std::vector<const ElfFile*>& requesters)
{
  return requesters.empty() ? std::string() : find_in_tag(name, *requesters.front(), DT_RUNPATH);
}

}  // namespace

std::string expand_tokens(const std::string& text, const std::string& object_path)
{
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      result += text[i++];
      continue;
    }
    const auto take = [&](const char* token) {
      for (const std::string& spelling : {std::string("${") + token + "}", std::string("$") + token})
        if (text.compare(i, spelling.size(), spelling) == 0) {
          i += spelling.size();
          return true;
        }
      return false;
    };
    if (take("ORIGIN"))
      result += directory_of(object_path);
    else if (take("LIB"))
      result += "lib/x86_64-linux-gnu";
    else if (take("PLATFORM"))
      result += "x86_64";
    else
      result += text[i++];
  }
  return result;
}

LibrarySearch::LibrarySearch(const std::string& library_path)
    : library_path_(split(library_path, ":;")), cache_(read_cache())
{
}

std::string LibrarySearch::find(const std::string& name, const std::vector<const ElfFile*>& requesters) const
{
  if (name.find('/') != std::string::npos) {
    const std::string path = requesters.empty() ? name : expand_tokens(name, requesters.front()->path());
    return is_loadable(path) ? path : std::string();
  }
  std::string found = find_in_rpath(name, requesters);
  if (!found.empty()) return found;
  const auto look_in = [&](const std::string& directory) {
    std::string path = directory + "/" + name;
    if (!is_loadable(path)) return false;
    found = std::move(path);
    return true;
  };
  for (const std::string& directory : library_path_)
    if (look_in(requesters.empty() ? directory : expand_tokens(directory, requesters.back()->path())))
      return found;
  if (found = find_in_runpath(name, requesters); !found.empty()) return found;
  if (const auto entry = cache_.find(name); entry != cache_.end() && is_loadable(entry->second))
    return entry->second;
  for (const char* directory : default_directories)
    if (look_in(directory)) return found;
  return {};
}

std::string LibrarySearch::find_in_objects(const std::string& name,
                                           const std::vector<const ElfFile*>& requesters)
{
  const std::string path = find_in_rpath(name, requesters);
  return path.empty() ? find_in_runpath(name, requesters) : path;
}

}  // namespace ranklet::loader
