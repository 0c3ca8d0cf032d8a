#include "base/source_line.hpp"

#include <cstdio>
#include <map>
#include <utility>

#include "base/symbol_file.hpp"

namespace ranklet {

namespace {

std::string without_folders(const std::string& path)
{
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::optional<SourceLocation> source_location(const void* address)
{
  // Places found before; guarded by the lock of with_symbol_file(). Never destroyed, like the file.
  using Places = std::map<std::pair<std::string, std::uintptr_t>, SourceLocation>;
  static Places& found = *new Places;
  std::optional<SourceLocation> location;
  with_symbol_file(address, [&](const SymbolFile& file, const PlaceInFile& place) {
    const auto [known, is_new] = found.try_emplace({place.path, place.offset});
    if (is_new) {
      known->second.module = place.path;
      known->second.offset = place.offset;
      file.find(known->second);
    }
    location = known->second;
  });
  return location;
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
