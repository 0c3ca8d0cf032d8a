#include "loader/libc_input.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ranklet::loader {

ssize_t JobInput::read(int rank, std::size_t& position, void* bytes, std::size_t size)
{
  if (!reaches(rank)) return 0;
  waiting_.fetch_add(1, std::memory_order_relaxed);
  const ssize_t count =
      receiver_ == everybody ? read_copy(position, bytes, size) : ::read(descriptor_, bytes, size);
  const int error = errno;
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  errno = error;
  return count;
}

ssize_t JobInput::read_copy(std::size_t& position, void* bytes, std::size_t size)
{
  const std::lock_guard guard(mutex_);
  if (position == seen_.size()) {
    char more[4096];
    const ssize_t count = ::read(descriptor_, more, sizeof more);
    if (count <= 0) return count;
    seen_.append(more, static_cast<std::size_t>(count));
  }
  const std::size_t count = std::min(size, seen_.size() - position);
  std::memcpy(bytes, seen_.data() + position, count);
  position += count;
  return static_cast<ssize_t>(count);
}

off_t JobInput::seek(int rank, off_t offset, int whence)
{
  if (receiver_ == rank) return ::lseek(descriptor_, offset, whence);
  errno = ESPIPE;
  return -1;
}

}  // namespace ranklet::loader
