#include "base/symbol_file.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "base/guarded.hpp"

namespace ranklet {

namespace {

// Only files on this machine: libdw's standard callback may ask servers.
const Dwfl_Callbacks dwfl_callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_build_id_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

// Process-wide, as the loaded objects are. Never destroyed: crashes are reported until the very end.
struct SymbolFiles {
  Mutex mutex;
  std::map<std::string, std::unique_ptr<SymbolFile>> files RANKLET_GUARDED_BY(mutex);

  static SymbolFiles& all()
  {
    static SymbolFiles& files = *new SymbolFiles;
    return files;
  }
};

std::string path_of(const link_map& map)
{
  if (map.l_name[0] != '\0') return map.l_name;
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "/proc/self/exe";
}

}  // namespace

std::string demangled(const char* name)
{
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : name;
}

SymbolFile::SymbolFile(const std::string& path) : dwfl_(dwfl_begin(&dwfl_callbacks), &dwfl_end)
{
  if (dwfl_ == nullptr) return;
  dwfl_report_begin(dwfl_.get());
  module_ = dwfl_report_elf(dwfl_.get(), path.c_str(), path.c_str(), -1, place, true);
  dwfl_report_end(dwfl_.get(), nullptr, nullptr);
}

void SymbolFile::find(SourceLocation& location) const
{
  if (module_ == nullptr) return;
  const GElf_Addr address = place + location.offset;
  if (const char* name = dwfl_module_addrname(module_, address)) location.function = demangled(name);
  if (Dwfl_Line* line = dwfl_module_getsrc(module_, address)) {
    if (const char* file = dwfl_lineinfo(line, nullptr, &location.line, nullptr, nullptr, nullptr))
      location.file = file;
    return;
  }
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = unit_of(address, bias);
  Dwarf_Line* const line = unit != nullptr ? dwarf_getsrc_die(unit, address - bias) : nullptr;
  if (line == nullptr || dwarf_lineno(line, &location.line) != 0) return;
  if (const char* file = dwarf_linesrc(line, nullptr, nullptr)) location.file = file;
}

Dwarf_Die* SymbolFile::unit_of(GElf_Addr address, Dwarf_Addr& bias) const
{
  if (module_ == nullptr) return nullptr;
  if (Dwarf_Die* const unit = dwfl_module_addrdie(module_, address, &bias)) return unit;
  // Clang writes no .debug_aranges, without which libdw does not find the unit of an address.
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module_, unit, &bias)) != nullptr;)
    if (dwarf_haspc(unit, address - bias) == 1) return unit;
  return nullptr;
}

bool with_symbol_file(const void* address,
                      const std::function<void(SymbolFile&, const PlaceInFile&)>& function)
{
  // Unlike dladdr: a crash may come while another thread is loading.
  dl_find_object object;
  if (::_dl_find_object(const_cast<void*>(address), &object) != 0) return false;
  const link_map* const map = object.dlfo_link_map;
  SymbolFiles& all = SymbolFiles::all();
  const Holder guard(all.mutex);
  const PlaceInFile place{path_of(*map), reinterpret_cast<std::uintptr_t>(address) - map->l_addr};
  std::unique_ptr<SymbolFile>& file = all.files[place.path];
  if (file == nullptr) file = std::make_unique<SymbolFile>(place.path);
  function(*file, place);
  return true;
}

}  // namespace ranklet
