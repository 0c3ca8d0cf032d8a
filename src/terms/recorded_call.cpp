#include "terms/recorded_call.hpp"

#include "base/source_line.hpp"

namespace ranklet {

std::string RecordedCall::place() const
{
  return (script_.empty() ? "" : script_ + ", by ") + describe_call_site(site_);
}

}  // namespace ranklet
