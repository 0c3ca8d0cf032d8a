#include "base/log.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <unistd.h>

namespace ranklet {

void log(LogLevel level, const char* format, ...)
{
  if (level > config().log) return;
  const int saved = errno;
  constexpr std::array<const char*, 4> prefixes = {
      "ranklet: ", "ranklet: warning: ", "ranklet: ", "ranklet: debug: "};
  std::array<char, 1100> line;
  const char* const prefix = prefixes[static_cast<std::size_t>(level)];
  const std::size_t start = std::strlen(prefix);
  std::memcpy(line.data(), prefix, start);
  std::va_list args;
  va_start(args, format);
  const std::size_t room = line.size() - start - 1;
  const int wanted = std::vsnprintf(line.data() + start, room, format, args);
  va_end(args);
  const std::size_t length = std::min(static_cast<std::size_t>(std::max(wanted, 0)), room - 1);
  line[start + length] = '\n';
  // One write, so that lines of several threads stay whole. A closed stderr is nobody's error.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), start + length + 1);
  errno = saved;
}

}  // namespace ranklet
