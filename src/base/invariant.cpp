#include "base/invariant.hpp"

#include <cstdlib>

#include "base/log.hpp"

namespace ranklet::detail {

void broken_invariant(const char* text, std::source_location where)
{
  log(LogLevel::error, "broken invariant: %s, in %s at %s:%u. This is a fault of Ranklet; please report it.",
      text, where.function_name(), where.file_name(), static_cast<unsigned>(where.line()));
  std::abort();
}

}  // namespace ranklet::detail
