#include "handover/bytes.hpp"

#include <cerrno>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ranklet {

int write_to_memory(std::string_view bytes, const char* name)
{
  const int descriptor = ::memfd_create(name, 0);
  while (descriptor >= 0 && !bytes.empty()) {
    const ssize_t now = ::write(descriptor, bytes.data(), bytes.size());
    if (now < 0 && errno != EINTR) break;
    if (now > 0) bytes.remove_prefix(static_cast<std::size_t>(now));
  }
  if (descriptor < 0 || !bytes.empty())
    fail(ErrorClass::no_mem, "%s cannot be written: %s", name, std::strerror(errno));
  return descriptor;
}

std::string read_from_memory(int descriptor)
{
  constexpr off_t most_bytes = off_t{1} << 30;  // a file may say that it is longer than memory
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(ErrorClass::intern, "a description is missing");
  if (status.st_size > most_bytes) fail(ErrorClass::intern, "a description is damaged: it has no end");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  // pread: the host may execute itself again and read a second time.
  if (::pread(descriptor, bytes.data(), bytes.size(), 0) != status.st_size)
    fail(ErrorClass::intern, "a description cannot be read");
  return bytes;
}

}  // namespace ranklet
