#include "terms/error.hpp"

#include <cstdarg>
#include <cstdio>

namespace ranklet {

namespace {

std::string formatted(const char* format, std::va_list args)
{
  std::va_list again;
  va_copy(again, args);
  const int length = std::vsnprintf(nullptr, 0, format, args);
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

}  // namespace

void fail(ErrorClass error_class, const char* format, ...)
{
  std::va_list args;
  va_start(args, format);
  std::string text = formatted(format, args);
  va_end(args);
  throw Error(error_class, std::move(text));
}

void fail_mismatch(ErrorClass error_class, const char* format, ...)
{
  std::va_list args;
  va_start(args, format);
  std::string text = formatted(format, args);
  va_end(args);
  throw Error(error_class, std::move(text), true);
}

}  // namespace ranklet
