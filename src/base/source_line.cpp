#include "base/source_line.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace ranklet {

namespace {

std::string demangled(const char* name)
{
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : name;
}

std::string without_folders(const std::string& path)
{
  return path.substr(path.rfind('/') + 1);
}

// Only files on this machine: libdw's standard callback may ask servers.
const Dwfl_Callbacks dwfl_callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_build_id_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

// The debug information of one file. All images of a program share it: it is asked by offset in the file.
class SymbolFile {
 public:
  explicit SymbolFile(const std::string& path) : dwfl_(dwfl_begin(&dwfl_callbacks), &dwfl_end)
  {
    if (dwfl_ == nullptr) return;
    dwfl_report_begin(dwfl_.get());
    module_ = dwfl_report_elf(dwfl_.get(), path.c_str(), path.c_str(), -1, place, true);
    dwfl_report_end(dwfl_.get(), nullptr, nullptr);
  }

  void find(SourceLocation& location) const
  {
    if (module_ == nullptr) return;
    const GElf_Addr address = place + location.offset;
    if (const char* name = dwfl_module_addrname(module_, address)) location.function = demangled(name);
    if (Dwfl_Line* line = dwfl_module_getsrc(module_, address)) {
      if (const char* file = dwfl_lineinfo(line, nullptr, &location.line, nullptr, nullptr, nullptr))
        location.file = file;
    } else {
      look_in_all_units(address, location);
    }
  }

 private:
  // Clang writes no .debug_aranges, without which libdw does not find the unit of an address.
  void look_in_all_units(GElf_Addr address, SourceLocation& location) const
  {
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module_, unit, &bias)) != nullptr;) {
      if (dwarf_haspc(unit, address - bias) != 1) continue;
      Dwarf_Line* line = dwarf_getsrc_die(unit, address - bias);
      if (line == nullptr || dwarf_lineno(line, &location.line) != 0) continue;
      if (const char* file = dwarf_linesrc(line, nullptr, nullptr)) location.file = file;
      return;
    }
  }

  static constexpr GElf_Addr place = 0x10000000;  // not 0, which lets libdw choose

  std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl_;
  Dwfl_Module* module_ = nullptr;
};

class SourceIndex {
 public:
  void register_image(std::uintptr_t load_base, const std::string& path)
  {
    const std::lock_guard guard(mutex_);
    images_[load_base] = path;
  }

  void forget_image(std::uintptr_t load_base)
  {
    const std::lock_guard guard(mutex_);
    images_.erase(load_base);
  }

  std::optional<SourceLocation> find(const void* address)
  {
    // Takes no lock of the dynamic linker, unlike dladdr: a crash may come while another thread is loading.
    dl_find_object object;
    if (::_dl_find_object(const_cast<void*>(address), &object) != 0) return std::nullopt;
    const link_map* map = object.dlfo_link_map;

    const std::lock_guard guard(mutex_);
    SourceLocation key;
    key.offset = reinterpret_cast<std::uintptr_t>(address) - map->l_addr;
    key.module = path_of(*map);
    const auto [found, is_new] = found_.try_emplace(std::pair(key.module, key.offset), key);
    if (is_new) file_of(key.module).find(found->second);
    return found->second;
  }

 private:
  std::string path_of(const link_map& map)
  {
    if (const auto image = images_.find(map.l_addr); image != images_.end()) return image->second;
    if (map.l_name[0] != '\0') return map.l_name;
    char path[4096];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "/proc/self/exe";
  }

  SymbolFile& file_of(const std::string& path)
  {
    std::unique_ptr<SymbolFile>& file = files_[path];
    if (file == nullptr) file = std::make_unique<SymbolFile>(path);
    return *file;
  }

  std::mutex mutex_;
  std::map<std::uintptr_t, std::string> images_;
  std::map<std::string, std::unique_ptr<SymbolFile>> files_;
  std::map<std::pair<std::string, std::uintptr_t>, SourceLocation> found_;
};

// Process-wide, as the loaded objects are. Never destroyed: crashes are reported until the very end.
SourceIndex& source_index()
{
  static SourceIndex& index = *new SourceIndex;
  return index;
}

}  // namespace

void register_source_image(std::uintptr_t load_base, const std::string& original_path)
{
  source_index().register_image(load_base, original_path);
}

void forget_source_image(std::uintptr_t load_base)
{
  source_index().forget_image(load_base);
}

std::optional<SourceLocation> source_location(const void* address)
{
  return source_index().find(address);
}

std::optional<std::string> source_line(const void* address)
{
  const std::optional<SourceLocation> location = source_location(address);
  if (!location || location->line == 0) return std::nullopt;
  return without_folders(location->file) + ':' + std::to_string(location->line);
}

std::string describe_code(const void* address)
{
  const std::optional<SourceLocation> location = source_location(address);
  char number[40];
  if (!location) {
    std::snprintf(number, sizeof number, "0x%zx", reinterpret_cast<std::size_t>(address));
    return number;
  }
  std::string text = location->function;
  if (!text.empty() && text.find('(') == std::string::npos) text += "()";
  if (location->line != 0)
    return text + (text.empty() ? "" : " at ") + without_folders(location->file) + ':' +
           std::to_string(location->line);
  std::snprintf(number, sizeof number, "+0x%zx", static_cast<std::size_t>(location->offset));
  return text + (text.empty() ? "" : " in ") + without_folders(location->module) + number;
}

std::string describe_call_site(const void* return_address)
{
  if (!return_address) return "the end of its function";
  // The return address belongs to the instruction after the call, maybe on the next line.
  return describe_code(static_cast<const char*>(return_address) - 1);
}

}  // namespace ranklet
