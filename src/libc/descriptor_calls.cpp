// System calls on descriptors, for programs that go around stdio: libgfortran's units 0, 5 and 6, std::cout
// after sync_with_stdio(false), write(1, …).

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "libc/owned_descriptors.hpp"

namespace ranklet::loader {

namespace {

ssize_t rank_write(int descriptor, const void* bytes, std::size_t size)
{
  Descriptors* const owner = owner_of(descriptor);
  return owner != nullptr ? owner->write(descriptor, bytes, size) : ::write(descriptor, bytes, size);
}

ssize_t rank_writev(int descriptor, const iovec* pieces, int count)
{
  Descriptors* const owner = owner_of(descriptor);
  if (owner == nullptr) return ::writev(descriptor, pieces, count);
  if (count < 0 || count > IOV_MAX) {
    errno = EINVAL;
    return -1;
  }
  // One piece of output, which no other thread of the rank may split.
  std::string joined;
  for (int i = 0; i < count; ++i)
    joined.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
  return owner->write(descriptor, joined.data(), joined.size());
}

ssize_t rank_read(int descriptor, void* bytes, std::size_t size)
{
  Descriptors* const owner = owner_of(descriptor);
  return owner != nullptr ? owner->read(descriptor, bytes, size) : ::read(descriptor, bytes, size);
}

// What _FORTIFY_SOURCE makes of read().
ssize_t rank_read_chk(int descriptor, void* bytes, std::size_t size, std::size_t room)
{
  if (size > room) std::abort();
  return rank_read(descriptor, bytes, size);
}

ssize_t rank_readv(int descriptor, const iovec* pieces, int count)
{
  Descriptors* const owner = owner_of(descriptor);
  if (owner == nullptr) return ::readv(descriptor, pieces, count);
  ssize_t total = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t got = owner->read(descriptor, pieces[i].iov_base, pieces[i].iov_len);
    if (got < 0) return total > 0 ? total : -1;
    total += got;
    if (static_cast<std::size_t>(got) < pieces[i].iov_len) break;
  }
  return total;
}

int rank_close(int descriptor)
{
  Descriptors* const owner = owner_of(descriptor);
  return owner != nullptr ? owner->close(descriptor) : ::close(descriptor);
}

int rank_dup(int descriptor)
{
  Descriptors* const owner = owner_of(descriptor);
  if (owner != nullptr) return owner->duplicate(descriptor);
  const int copy = ::dup(descriptor);
  LibcState* const state = copy < 0 ? nullptr : current_libc();
  return state != nullptr ? state->descriptors.settle(copy, false) : copy;
}

int rank_dup2(int from, int to)
{
  Descriptors* const owner = owner_of(from) != nullptr ? owner_of(from) : owner_of(to);
  return owner != nullptr ? owner->duplicate_to(from, to, 0) : ::dup2(from, to);
}

int rank_dup3(int from, int to, int flags)
{
  Descriptors* const owner = owner_of(from) != nullptr ? owner_of(from) : owner_of(to);
  if (owner == nullptr) return ::dup3(from, to, flags);
  if (from == to) {
    errno = EINVAL;
    return -1;
  }
  return owner->duplicate_to(from, to, flags);
}

int rank_isatty(int descriptor)
{
  return ::isatty(real_of(descriptor));
}

off_t rank_lseek(int descriptor, off_t offset, int whence)
{
  Descriptors* const owner = owner_of(descriptor);
  return owner != nullptr ? owner->seek(descriptor, offset, whence) : ::lseek(descriptor, offset, whence);
}

int rank_fstat(int descriptor, struct stat* result)
{
  return ::fstat(real_of(descriptor), result);
}

int rank_fsync(int descriptor)
{
  return ::fsync(real_of(descriptor));
}

int rank_vdprintf(int descriptor, const char* format, std::va_list arguments)
{
  if (owner_of(descriptor) == nullptr) return ::vdprintf(descriptor, format, arguments);
  char* text = nullptr;
  const int length = ::vasprintf(&text, format, arguments);
  if (length < 0) return -1;
  const std::unique_ptr<char, decltype(&std::free)> keeper(text, &std::free);
  return static_cast<int>(rank_write(descriptor, text, static_cast<std::size_t>(length)));
}

int rank_dprintf(int descriptor, const char* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  const int length = rank_vdprintf(descriptor, format, arguments);
  va_end(arguments);
  return length;
}

int rank_vdprintf_chk(int descriptor, int, const char* format, std::va_list arguments)
{
  return rank_vdprintf(descriptor, format, arguments);
}

int rank_dprintf_chk(int descriptor, int, const char* format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  const int length = rank_vdprintf(descriptor, format, arguments);
  va_end(arguments);
  return length;
}

const Override descriptor_table[] = {
    override_with("write", &rank_write),
    override_with("__write", &rank_write),
    override_with("writev", &rank_writev),
    override_with("read", &rank_read),
    override_with("__read", &rank_read),
    override_with("__read_chk", &rank_read_chk),
    override_with("readv", &rank_readv),
    override_with("close", &rank_close),
    override_with("__close", &rank_close),
    override_with("dup", &rank_dup),
    override_with("dup2", &rank_dup2),
    override_with("__dup2", &rank_dup2),
    override_with("dup3", &rank_dup3),
    override_with("isatty", &rank_isatty),
    override_with("lseek", &rank_lseek),
    override_with("lseek64", &rank_lseek),
    override_with("fstat", &rank_fstat),
    override_with("fstat64", &rank_fstat),
    override_with("fsync", &rank_fsync),
    override_with("dprintf", &rank_dprintf),
    override_with("vdprintf", &rank_vdprintf),
    override_with("__dprintf_chk", &rank_dprintf_chk),
    override_with("__vdprintf_chk", &rank_vdprintf_chk),
};

}  // namespace

std::span<const Override> descriptor_overrides()
{
  return descriptor_table;
}

}  // namespace ranklet::loader
