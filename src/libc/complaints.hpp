// The messages of err(3) and error(3), for the overrides that end the rank afterwards (exit.cpp).
#pragma once

#include <cstdarg>
#include <string>

namespace ranklet::loader {

// "program: text\n" on the rank's stderr, as warn and warnx print it: with errno's meaning or without.
void print_warning(const char* format, std::va_list arguments, bool with_errno);

// "program: place text: meaning\n", as error and error_at_line print it; number 0 has no meaning to add.
// place is empty or "file:line:".
void print_error(const std::string& place, int number, const char* format, std::va_list arguments);

}  // namespace ranklet::loader
