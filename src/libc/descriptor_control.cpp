// Further system calls on the descriptors 0 to 2: fcntl, ioctl, positioned reads and writes.

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "libc/owned_descriptors.hpp"

namespace ranklet::loader {

namespace {

int rank_fcntl(int descriptor, int command, ...)
{
  std::va_list rest;
  va_start(rest, command);
  const long argument = va_arg(rest, long);  // absent for some commands, which do not look at it
  va_end(rest);
  Descriptors* const owner = owner_of(descriptor);
  if (owner != nullptr) return owner->control(descriptor, command, argument);
  const int result = ::fcntl(descriptor, command, argument);
  LibcState* const state = result >= 3 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC) && argument <= 2
                               ? current_libc()
                               : nullptr;
  return state != nullptr ? state->descriptors.settle(result, command == F_DUPFD_CLOEXEC) : result;
}

int rank_ioctl(int descriptor, unsigned long request, ...)
{
  std::va_list rest;
  va_start(rest, request);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  if (Descriptors* const owner = owner_of(descriptor)) {
    // As fcntl with F_SETFL, FD_CLOEXEC.
    if (request == FIONBIO && argument != nullptr) {
      const int flags = owner->control(descriptor, F_GETFL, 0);
      const bool wanted = *static_cast<const int*>(argument) != 0;
      return flags < 0
                 ? -1
                 : owner->control(descriptor, F_SETFL, wanted ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
    }
    if (request == FIOCLEX || request == FIONCLEX)
      return owner->control(descriptor, F_SETFD, request == FIOCLEX ? FD_CLOEXEC : 0);
  }
  return ::ioctl(real_of(descriptor), request, argument);
}

ssize_t rank_pread(int descriptor, void* bytes, std::size_t size, off_t offset)
{
  return ::pread(real_of(descriptor), bytes, size, offset);
}

ssize_t rank_pread_chk(int descriptor, void* bytes, std::size_t size, off_t offset, std::size_t room)
{
  if (size > room) std::abort();
  return rank_pread(descriptor, bytes, size, offset);
}

ssize_t rank_preadv(int descriptor, const iovec* pieces, int count, off_t offset)
{
  return ::preadv(real_of(descriptor), pieces, count, offset);
}

// What the rank writes to the job's streams goes to their end, as through a pipe.
bool is_job_stream(int descriptor)
{
  Descriptors* const owner = owner_of(descriptor);
  if (owner == nullptr || !owner->is_stream(descriptor)) return false;
  errno = ESPIPE;
  return true;
}

ssize_t rank_pwrite(int descriptor, const void* bytes, std::size_t size, off_t offset)
{
  return is_job_stream(descriptor) ? -1 : ::pwrite(real_of(descriptor), bytes, size, offset);
}

ssize_t rank_pwritev(int descriptor, const iovec* pieces, int count, off_t offset)
{
  return is_job_stream(descriptor) ? -1 : ::pwritev(real_of(descriptor), pieces, count, offset);
}

int rank_ftruncate(int descriptor, off_t size)
{
  if (!is_job_stream(descriptor)) return ::ftruncate(real_of(descriptor), size);
  errno = EINVAL;
  return -1;
}

int rank_fdatasync(int descriptor)
{
  return ::fdatasync(real_of(descriptor));
}

// From a file to a stream of the job: by way of its assembler.
ssize_t rank_sendfile(int to, int from, off_t* offset, std::size_t count)
{
  Descriptors* const owner = owner_of(to);
  if (owner == nullptr || !owner->is_stream(to)) return ::sendfile(real_of(to), real_of(from), offset, count);
  std::vector<char> bytes(std::min<std::size_t>(count, 65536));
  const int source = real_of(from);
  const ssize_t got = offset != nullptr ? ::pread(source, bytes.data(), bytes.size(), *offset)
                                        : ::read(source, bytes.data(), bytes.size());
  if (got <= 0) return got;
  if (offset != nullptr) *offset += got;
  return owner->write(to, bytes.data(), static_cast<std::size_t>(got));
}

int rank_tcgetattr(int descriptor, termios* settings)
{
  return ::tcgetattr(real_of(descriptor), settings);
}

int rank_tcsetattr(int descriptor, int when, const termios* settings)
{
  return ::tcsetattr(real_of(descriptor), when, settings);
}

int rank_tcdrain(int descriptor)
{
  return ::tcdrain(real_of(descriptor));
}

int rank_tcflush(int descriptor, int queue)
{
  return ::tcflush(real_of(descriptor), queue);
}

pid_t rank_tcgetpgrp(int descriptor)
{
  return ::tcgetpgrp(real_of(descriptor));
}

int rank_ttyname_r(int descriptor, char* name, std::size_t room)
{
  return ::ttyname_r(real_of(descriptor), name, room);
}

// Closing all that one does not know of: here those are the other ranks'. Only the rank's 0 to 2 are its own.
int rank_close_range(unsigned first, unsigned last, int flags)
{
  LibcState* const state = current_libc();
  if (state == nullptr || state->children.in_child()) return ::close_range(first, last, flags);
  if (first > last) {
    errno = EINVAL;
    return -1;
  }
  for (unsigned i = first; i <= 2 && i <= last; ++i) {
    const int descriptor = static_cast<int>(i);
    if ((flags & 4) != 0)  // CLOSE_RANGE_CLOEXEC
      state->descriptors.control(descriptor, F_SETFD, FD_CLOEXEC);
    else
      state->descriptors.close(descriptor);
  }
  return 0;
}

void rank_closefrom(int first)
{
  rank_close_range(static_cast<unsigned>(std::max(first, 0)), ~0U, 0);
}

const Override descriptor_control_table[] = {
    override_with("fcntl", &rank_fcntl),
    override_with("fcntl64", &rank_fcntl),
    override_with("ioctl", &rank_ioctl),
    override_with("pread", &rank_pread),
    override_with("pread64", &rank_pread),
    override_with("__pread_chk", &rank_pread_chk),
    override_with("__pread64_chk", &rank_pread_chk),
    override_with("preadv", &rank_preadv),
    override_with("preadv64", &rank_preadv),
    override_with("pwrite", &rank_pwrite),
    override_with("pwrite64", &rank_pwrite),
    override_with("pwritev", &rank_pwritev),
    override_with("pwritev64", &rank_pwritev),
    override_with("ftruncate", &rank_ftruncate),
    override_with("ftruncate64", &rank_ftruncate),
    override_with("fdatasync", &rank_fdatasync),
    override_with("sendfile", &rank_sendfile),
    override_with("sendfile64", &rank_sendfile),
    override_with("tcgetattr", &rank_tcgetattr),
    override_with("tcsetattr", &rank_tcsetattr),
    override_with("tcdrain", &rank_tcdrain),
    override_with("tcflush", &rank_tcflush),
    override_with("tcgetpgrp", &rank_tcgetpgrp),
    override_with("ttyname_r", &rank_ttyname_r),
    override_with("close_range", &rank_close_range),
    override_with("closefrom", &rank_closefrom),
};

}  // namespace

std::span<const Override> descriptor_control_overrides()
{
  return descriptor_control_table;
}

}  // namespace ranklet::loader
