// A program that asks for its own executable gets its own file, not the host's.
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "loader/loader.hpp"
#include "process/override.hpp"
#include "process/process.hpp"

namespace ranklet::loader {
namespace {

// The program's absolute path if the name stands for the calling process's executable.
const char* own_file(const char* name)
{
  const ProcessState* process = current_process();
  if (!process || !process->program || !name || std::strncmp(name, "/proc/", 6) != 0) return nullptr;
  const std::string_view link = name;
  if (link != "/proc/self/exe" && link != "/proc/thread-self/exe" &&
      link != "/proc/" + std::to_string(getpid()) + "/exe")
    return nullptr;
  return process->program->absolute_path().c_str();
}

ssize_t rank_readlink(const char* name, char* result, std::size_t size)
{
  const char* file = own_file(name);
  if (!file) return readlink(name, result, size);
  const std::size_t length = std::min(std::strlen(file), size);
  std::memcpy(result, file, length);
  return static_cast<ssize_t>(length);
}

ssize_t rank_readlinkat(int directory, const char* name, char* result, std::size_t size)
{
  return own_file(name) ? rank_readlink(name, result, size) : readlinkat(directory, name, result, size);
}

char* rank_realpath(const char* name, char* result)
{
  const char* file = own_file(name);
  return realpath(file ? file : name, result);
}

// What readlink and realpath become under _FORTIFY_SOURCE; the last argument is the buffer's true size.
ssize_t rank_readlink_checked(const char* name, char* result, std::size_t size, std::size_t room)
{
  if (size > room) abort();
  return rank_readlink(name, result, size);
}

char* rank_realpath_checked(const char* name, char* result, std::size_t room)
{
  if (room < PATH_MAX) abort();
  return rank_realpath(name, result);
}

}  // namespace

std::span<const Override> own_file_overrides()
{
  static const Override table[] = {
      override_with("readlink", rank_readlink),
      override_with("readlinkat", rank_readlinkat),
      override_with("realpath", rank_realpath),
      override_with("__readlink_chk", rank_readlink_checked),
      override_with("__realpath_chk", rank_realpath_checked),
  };
  return table;
}

}  // namespace ranklet::loader
