#include "terms/recorded_call.hpp"

#include <cstdlib>
#include <string_view>

#include "base/source_line.hpp"

namespace ranklet {

std::string RecordedCall::place() const
{
  return (script_.empty() ? "" : script_ + ", by ") + describe_call_site(site_);
}

std::optional<SourceLocation> RecordedCall::source() const
{
  if (script_.empty()) return site_ ? source_location(static_cast<const char*>(site_) - 1) : std::nullopt;
  const std::size_t colon = script_.rfind(':');
  if (colon == script_.npos) return {};
  constexpr std::string_view middle = " at ";
  const std::size_t at = script_.find(middle);
  const std::size_t file = at == script_.npos ? 0 : at + middle.size();
  SourceLocation location;
  location.file = script_.substr(file, colon - file);
  location.line = std::atoi(script_.c_str() + colon + 1);
  return location;
}

}  // namespace ranklet
