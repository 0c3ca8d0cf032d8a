#include "libc/input.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ranklet::loader {

JobInput::JobInput(int ranks, int receiver, int descriptor, int first)
    : first_(first),
      ranks_(ranks),
      receiver_(receiver >= 0 ? first + receiver : receiver),
      descriptor_(descriptor),
      copies_(receiver == everybody ? static_cast<std::size_t>(ranks) : 0)
{
  if (receiver == everybody) file_begin_ = ::lseek(descriptor, 0, SEEK_CUR);
}

ssize_t JobInput::read(int rank, void* bytes, std::size_t size)
{
  if (!reaches(rank)) return 0;
  // relaxed, here and below: a hint, see has_waiting_reader().
  waiting_.fetch_add(1, std::memory_order_relaxed);
  const ssize_t count = receiver_ != everybody ? ::read(descriptor_, bytes, size)
                        : file_begin_ >= 0     ? read_file(rank, bytes, size)
                                               : read_copy(rank, bytes, size);
  const int error = errno;
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  errno = error;
  return count;
}

ssize_t JobInput::read_file(int rank, void* bytes, std::size_t size)
{
  const Holder guard(mutex_);
  const ssize_t count =
      ::pread(descriptor_, bytes, size, file_begin_ + static_cast<off_t>(copies_.place(reader(rank))));
  if (count > 0) copies_.advance(reader(rank), static_cast<std::size_t>(count));
  return count;
}

// A rank that finds nothing reads for all, without the lock, so that others can take what is there. One that
// finds another one reading waits for what comes.
ssize_t JobInput::read_copy(int rank, void* bytes, std::size_t size)
{
  MutexHolder lock(mutex_);
  if (copies_.has_left(reader(rank))) return 0;
  while (copies_.next(reader(rank)).empty()) {
    if (reading_) {
      const unsigned ends = ends_;
      while (reading_ && ends_ == ends && copies_.next(reader(rank)).empty()) lock.wait(came_);
      if (ends_ != ends && copies_.next(reader(rank)).empty()) return 0;
      continue;
    }
    reading_ = true;
    lock.unlock();
    char more[4096];
    const ssize_t count = ::read(descriptor_, more, sizeof more);
    const int error = errno;
    lock.lock();
    reading_ = false;
    if (count > 0) copies_.append({more, static_cast<std::size_t>(count)});
    if (count == 0) ++ends_;  // for all who wait: a terminal goes on after its ends
    came_.notify_all();
    if (count <= 0) {
      errno = error;
      return count;
    }
  }
  const std::string_view text = copies_.next(reader(rank)).substr(0, size);
  std::memcpy(bytes, text.data(), text.size());
  copies_.advance(reader(rank), text.size());
  return static_cast<ssize_t>(text.size());
}

bool JobInput::is_ready(int rank)
{
  if (!reaches(rank)) return true;
  if (receiver_ != everybody) return false;
  if (file_begin_ >= 0) return true;
  const Holder guard(mutex_);
  return copies_.has_left(reader(rank)) || !copies_.next(reader(rank)).empty();
}

off_t JobInput::seek(int rank, off_t offset, int whence)
{
  if (receiver_ == rank) return ::lseek(descriptor_, offset, whence);
  errno = ESPIPE;
  return -1;
}

void JobInput::leave(int rank)
{
  if (receiver_ != everybody || file_begin_ >= 0 || !reaches(rank)) return;
  const Holder guard(mutex_);
  copies_.leave(reader(rank));
}

}  // namespace ranklet::loader
