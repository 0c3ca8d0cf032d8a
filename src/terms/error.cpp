#include "terms/error.hpp"

#include <cstdarg>
#include <cstdio>
#include <vector>

namespace ranklet {

void fail(ErrorClass error_class, const char* format, ...)
{
  std::va_list args;
  va_start(args, format);
  std::va_list again;
  va_copy(again, args);
  const int length = std::vsnprintf(nullptr, 0, format, args);
  va_end(args);
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  throw Error(error_class, std::move(text));
}

}  // namespace ranklet
