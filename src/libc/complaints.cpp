// Messages of a program on its rank's stderr: perror, warn, failed assertions.
#include "libc/complaints.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

std::FILE* rank_err() noexcept
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->stdio.err() : stderr;
}

// "text\n", or "text: what errno means\n", as one piece.
void complain(const std::string& text, int error)
{
  std::string line = text;
  if (error != 0) line += std::string(text.empty() ? "" : ": ") + std::strerror(error);
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), rank_err());
}

std::string formatted(const char* format, std::va_list arguments)
{
  char* text = nullptr;
  if (format == nullptr || ::vasprintf(&text, format, arguments) < 0) return {};
  std::string result = text;
  std::free(text);
  return result;
}

const char* program_name(bool short_name)
{
  const ProcessState* const process = current_process();
  if (process == nullptr) return short_name ? program_invocation_short_name : program_invocation_name;
  return short_name ? *process->variables.invocation_short_name : *process->variables.invocation_name;
}

}  // namespace

void print_warning(const char* format, std::va_list arguments, bool with_errno)
{
  const int error = errno;
  std::string text = program_name(true);
  if (format != nullptr || !with_errno) text += ": " + formatted(format, arguments);
  complain(text, with_errno ? error : 0);
  errno = error;
}

void print_error(const std::string& place, int number, const char* format, std::va_list arguments)
{
  LibcState* const state = current_libc();
  std::fflush(state != nullptr ? state->stdio.out() : stdout);
  complain(std::string(program_name(false)) + ':' + (place.empty() ? " " : place + ' ') +
               formatted(format, arguments),
           number);
}

namespace {

void rank_perror(const char* text)
{
  const int error = errno;
  complain(text == nullptr ? "" : text, error);
  errno = error;
}

void rank_psignal(int signal, const char* text)
{
  const std::string prefix = text == nullptr || *text == '\0' ? "" : std::string(text) + ": ";
  complain(prefix + ::strsignal(signal), 0);
}

void rank_vwarn(const char* format, std::va_list arguments)
{
  print_warning(format, arguments, true);
}

void rank_vwarnx(const char* format, std::va_list arguments)
{
  print_warning(format, arguments, false);
}

void rank_warn(const char* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  rank_vwarn(format, arguments);
  va_end(arguments);
}

void rank_warnx(const char* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  rank_vwarnx(format, arguments);
  va_end(arguments);
}

[[noreturn]] void assertion_failed(const char* text, const char* file, unsigned line, const char* function)
{
  std::string message = std::string(program_name(true)) + ": " + file + ':' + std::to_string(line) + ": ";
  if (function != nullptr) message += std::string(function) + ": ";
  complain(message + text, 0);
  std::fflush(rank_err());
  std::abort();
}

void rank_assert_fail(const char* assertion, const char* file, unsigned line, const char* function)
{
  assertion_failed((std::string("Assertion `") + assertion + "' failed.").c_str(), file, line, function);
}

void rank_assert_perror_fail(int error, const char* file, unsigned line, const char* function)
{
  assertion_failed((std::string("Unexpected error: ") + std::strerror(error) + '.').c_str(), file, line,
                   function);
}

const Override complaint_table[] = {
    override_with("perror", &rank_perror),
    override_with("psignal", &rank_psignal),
    override_with("warn", &rank_warn),
    override_with("vwarn", &rank_vwarn),
    override_with("warnx", &rank_warnx),
    override_with("vwarnx", &rank_vwarnx),
    override_with("__assert_fail", &rank_assert_fail),
    override_with("__assert_perror_fail", &rank_assert_perror_fail),
};

}  // namespace

std::span<const Override> complaint_overrides()
{
  return complaint_table;
}

}  // namespace ranklet::loader
