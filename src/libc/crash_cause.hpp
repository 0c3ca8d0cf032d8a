// What a signal that ends a rank means, in words.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace ranklet::loader {

// Text for the signal handler: no memory is allocated, what is too long is cut.
class CrashLine {
 public:
  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) noexcept
  {
    std::va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text_ + size_, sizeof text_ - size_, format, arguments);
    va_end(arguments);
    if (length > 0) size_ = std::min(sizeof text_ - 1, size_ + static_cast<std::size_t>(length));
  }
  std::string_view text() const noexcept { return {text_, size_}; }

 private:
  char text_[1024];
  std::size_t size_ = 0;
};

// ": null pointer (address 0x10)", or nothing if the signal's own text says all.
void add_cause(CrashLine& line, const siginfo_t& info, std::uintptr_t stack_pointer) noexcept;

}  // namespace ranklet::loader
