// Files whose names mean a standard stream of the process: those of the rank are meant.

#include <fcntl.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string_view>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

// 0, 1 or 2 if the path names that descriptor, else -1.
int standard_stream(std::string_view path)
{
  if (path == "/dev/stdin") return 0;
  if (path == "/dev/stdout") return 1;
  if (path == "/dev/stderr") return 2;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder) && path.size() == folder.size() + 1 && path.back() >= '0' &&
        path.back() <= '2')
      return path.back() - '0';
  return -1;
}

// The calling rank's state if the path is that of a stream, else nullptr.
LibcState* state_for(const char* path, int& descriptor)
{
  descriptor = path == nullptr ? -1 : standard_stream(path);
  LibcState* const state = descriptor < 0 ? nullptr : current_libc();
  return state != nullptr && state->descriptors.owns(descriptor) ? state : nullptr;
}

int settle(int descriptor, int flags)
{
  LibcState* const state = descriptor < 0 ? nullptr : current_libc();
  return state == nullptr ? descriptor : state->descriptors.settle(descriptor, (flags & O_CLOEXEC) != 0);
}

int rank_open(const char* path, int flags, ...)
{
  int descriptor;
  if (LibcState* const state = state_for(path, descriptor)) return state->descriptors.duplicate(descriptor);
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
    std::va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  return settle(::open(path, flags, mode), flags);
}

// What _FORTIFY_SOURCE makes of open() without a mode.
int rank_open_2(const char* path, int flags)
{
  return rank_open(path, flags, 0);
}

int rank_openat(int directory, const char* path, int flags, ...)
{
  int descriptor;
  if (LibcState* const state = state_for(path, descriptor)) return state->descriptors.duplicate(descriptor);
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
    std::va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  return settle(::openat(directory, path, flags, mode), flags);
}

int rank_openat_2(int directory, const char* path, int flags)
{
  return rank_openat(directory, path, flags, 0);
}

int rank_creat(const char* path, mode_t mode)
{
  return rank_open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

std::FILE* rank_fopen(const char* path, const char* mode)
{
  int descriptor;
  LibcState* const state = state_for(path, descriptor);
  if (state == nullptr) return std::fopen(path, mode);
  const int copy = state->descriptors.duplicate(descriptor);
  return copy < 0 ? nullptr : state->stdio.open(copy, mode);
}

const Override open_table[] = {
    override_with("open", &rank_open),           override_with("open64", &rank_open),
    override_with("__open_2", &rank_open_2),     override_with("__open64_2", &rank_open_2),
    override_with("openat", &rank_openat),       override_with("openat64", &rank_openat),
    override_with("__openat_2", &rank_openat_2), override_with("__openat64_2", &rank_openat_2),
    override_with("creat", &rank_creat),         override_with("creat64", &rank_creat),
    override_with("fopen", &rank_fopen),         override_with("fopen64", &rank_fopen),
};

}  // namespace

std::span<const Override> open_overrides()
{
  return open_table;
}

}  // namespace ranklet::loader
