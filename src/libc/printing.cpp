// Functions of stdio that name stdin or stdout only by implication: the rank's are meant.

#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cwchar>
#include <string>
#include <vector>

#include "libc/libc_state.hpp"

// Of libc, for programs built with _FORTIFY_SOURCE or for newer C standards; not in every header.
extern "C" int __vfprintf_chk(std::FILE*, int, const char*, std::va_list);
extern "C" int __isoc99_vfscanf(std::FILE*, const char*, std::va_list);

namespace ranklet::loader {

namespace {

std::FILE* rank_in() noexcept
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->stdio.in() : stdin;
}

std::FILE* rank_out() noexcept
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->stdio.out() : stdout;
}

// ---- stdout

int rank_vprintf(const char* format, std::va_list arguments)
{
  return std::vfprintf(rank_out(), format, arguments);
}

int rank_printf(const char* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vfprintf(rank_out(), format, arguments);
  va_end(arguments);
  return length;
}

int rank_vprintf_chk(int flag, const char* format, std::va_list arguments)
{
  return __vfprintf_chk(rank_out(), flag, format, arguments);
}

int rank_printf_chk(int flag, const char* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  const int length = __vfprintf_chk(rank_out(), flag, format, arguments);
  va_end(arguments);
  return length;
}

int rank_puts(const char* text)
{
  std::FILE* const out = rank_out();
  ::flockfile(out);
  const bool done = ::fputs_unlocked(text, out) >= 0 && ::putc_unlocked('\n', out) != EOF;
  ::funlockfile(out);
  return done ? 1 : EOF;
}

int rank_putchar(int character)
{
  return std::putc(character, rank_out());
}

int rank_putchar_unlocked(int character)
{
  return ::putc_unlocked(character, rank_out());
}

// ---- stdin

int rank_vscanf(const char* format, std::va_list arguments)
{
  return __isoc99_vfscanf(rank_in(), format, arguments);
}

int rank_scanf(const char* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  const int count = __isoc99_vfscanf(rank_in(), format, arguments);
  va_end(arguments);
  return count;
}

int rank_getchar()
{
  return std::getc(rank_in());
}

int rank_getchar_unlocked()
{
  return ::getc_unlocked(rank_in());
}

// Still linked by old programs; there is no safe way to behave as it does.
char* rank_gets(char* line)
{
  std::FILE* const in = rank_in();
  char* end = line;
  int character;
  while ((character = std::getc(in)) != EOF && character != '\n') *end++ = static_cast<char>(character);
  *end = '\0';
  return character == EOF && end == line ? nullptr : line;
}

// ---- wide characters: a FILE with a cookie takes bytes only

int put_wide(const wchar_t* text, std::size_t length, std::FILE* file)
{
  std::mbstate_t state{};
  std::string bytes;
  for (std::size_t i = 0; i < length; ++i) {
    char buffer[MB_LEN_MAX];
    const std::size_t size = std::wcrtomb(buffer, text[i], &state);
    if (size == static_cast<std::size_t>(-1)) return -1;
    bytes.append(buffer, size);
  }
  return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() ? static_cast<int>(length) : -1;
}

bool takes_bytes_only(const std::FILE* file)
{
  LibcState* const state = current_libc();
  return state != nullptr && state->stdio.descriptor_of(file) >= 0;
}

int rank_vfwprintf(std::FILE* file, const wchar_t* format, std::va_list arguments)
{
  if (!takes_bytes_only(file)) return std::vfwprintf(file, format, arguments);
  for (std::vector<wchar_t> text(256);; text.resize(text.size() * 2)) {
    std::va_list again;
    va_copy(again, arguments);
    const int length = std::vswprintf(text.data(), text.size(), format, again);
    va_end(again);
    if (length >= 0) return put_wide(text.data(), static_cast<std::size_t>(length), file);
    // It does not tell "too long" from "wrong": no sensible text is longer than this.
    if (text.size() > (std::size_t{1} << 24)) return -1;
  }
}

int rank_fwprintf(std::FILE* file, const wchar_t* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  const int length = rank_vfwprintf(file, format, arguments);
  va_end(arguments);
  return length;
}

int rank_vwprintf(const wchar_t* format, std::va_list arguments)
{
  return rank_vfwprintf(rank_out(), format, arguments);
}

int rank_wprintf(const wchar_t* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  const int length = rank_vfwprintf(rank_out(), format, arguments);
  va_end(arguments);
  return length;
}

std::wint_t rank_fputwc(wchar_t character, std::FILE* file)
{
  if (!takes_bytes_only(file)) return std::fputwc(character, file);
  return put_wide(&character, 1, file) < 0 ? WEOF : static_cast<std::wint_t>(character);
}

std::wint_t rank_putwchar(wchar_t character)
{
  return rank_fputwc(character, rank_out());
}

int rank_fputws(const wchar_t* text, std::FILE* file)
{
  if (!takes_bytes_only(file)) return std::fputws(text, file);
  return put_wide(text, std::wcslen(text), file) < 0 ? -1 : 1;
}

const Override printing_table[] = {
    override_with("printf", &rank_printf),
    override_with("vprintf", &rank_vprintf),
    override_with("__printf_chk", &rank_printf_chk),
    override_with("__vprintf_chk", &rank_vprintf_chk),
    override_with("_IO_printf", &rank_printf),
    override_with("puts", &rank_puts),
    override_with("_IO_puts", &rank_puts),
    override_with("putchar", &rank_putchar),
    override_with("putchar_unlocked", &rank_putchar_unlocked),
    override_with("scanf", &rank_scanf),
    override_with("vscanf", &rank_vscanf),
    override_with("__isoc99_scanf", &rank_scanf),
    override_with("__isoc99_vscanf", &rank_vscanf),
    override_with("__isoc23_scanf", &rank_scanf),
    override_with("__isoc23_vscanf", &rank_vscanf),
    override_with("getchar", &rank_getchar),
    override_with("getchar_unlocked", &rank_getchar_unlocked),
    override_with("gets", &rank_gets),
    override_with("wprintf", &rank_wprintf),
    override_with("vwprintf", &rank_vwprintf),
    override_with("fwprintf", &rank_fwprintf),
    override_with("vfwprintf", &rank_vfwprintf),
    override_with("fputwc", &rank_fputwc),
    override_with("putwc", &rank_fputwc),
    override_with("putwchar", &rank_putwchar),
    override_with("fputws", &rank_fputws),
};

}  // namespace

std::span<const Override> printing_overrides()
{
  return printing_table;
}

}  // namespace ranklet::loader
