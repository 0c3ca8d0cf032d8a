#include "base/invariant.hpp"

#include <cstdlib>

#include "base/log.hpp"

namespace ranklet::detail {

void broken_invariant(const char* text, const char* file, int line)
{
  log(LogLevel::error, "broken invariant: %s (%s:%d). This is a fault of Ranklet; please report it.", text,
      file, line);
  std::abort();
}

}  // namespace ranklet::detail
